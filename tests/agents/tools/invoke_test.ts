import {
  invokeTool,
  readToolInput,
  ToolCallError,
  toolIdempotencyKey,
} from "../../../agents/tools/mod.ts";
import {
  assert,
  assertEquals,
  assertMatch,
  errValue,
  okValue,
} from "../../assert.ts";
import { contextWith, lookupWith, plainTool } from "./tool_fixture.ts";

Deno.test("a call gives the handler a checked copy with defaults, and answers what it returns", async () => {
  const seen: unknown[] = [];
  const tool = lookupWith({
    input: {
      type: "object",
      properties: { q: { type: "string" }, n: { type: "integer", default: 3 } },
      required: ["q"],
    },
    handler: (input, context) => {
      seen.push(input, context.requestId);
      return { found: "y" };
    },
  });
  const given = { q: "x" };
  assertEquals(okValue(await invokeTool(tool, given, contextWith())), {
    found: "y",
  });
  assertEquals<unknown>(seen, [{ q: "x", n: 3 }, "k1"]);
  assertEquals(given, { q: "x" });
});

Deno.test("[trap 57] empty, null and broken arguments are {} for a tool without parameters, or are refused", async () => {
  const inputs: unknown[] = [];
  const free = plainTool((input) => void inputs.push(input));
  for (const given of ["", "  ", "{}", "null", null, undefined, {}]) {
    okValue(await invokeTool(free, given, contextWith()));
  }
  assertEquals(inputs, Array.from({ length: 7 }, () => ({})));
  for (const given of ["[]", '{"a":', "1", [], 1, "text", true]) {
    const error = errValue(await invokeTool(free, given, contextWith()));
    assertEquals(error.code, "input-validation-failed");
    assert("errors" in error && error.errors.length === 1);
  }
  assertEquals(inputs.length, 7);
  const strict = errValue(await invokeTool(lookupWith(), "", contextWith()));
  assertEquals(strict.code, "input-validation-failed");
});

Deno.test("arguments in JSON text are read", () => {
  assertEquals(okValue(readToolInput(lookupWith(), '{"q":"x"}')), { q: "x" });
});

Deno.test("`__proto__` in the arguments is data that a closed schema refuses", () => {
  const error = errValue(
    readToolInput(lookupWith(), '{"q":"x","__proto__":{"admin":true}}'),
  );
  assertEquals(error.code, "input-validation-failed");
  assertEquals(({} as { admin?: true }).admin, undefined);
});

Deno.test("input that breaks the schema is refused with every issue before the handler runs", async () => {
  let ran = false;
  const tool = lookupWith({ handler: () => (ran = true) });
  const error = errValue(
    await invokeTool(tool, { query: "x" }, contextWith()),
  );
  assert(error.code === "input-validation-failed");
  assertEquals(error.errors.map(({ keyword }) => keyword).sort(), [
    "additionalProperties",
    "required",
  ]);
  assertMatch(error.message, /pack\.lookup.*\(and 1 more\)/);
  assert(!ran);
});

Deno.test("a handler that throws or rejects is a handler-error with what was thrown", async () => {
  const thrown = new Error("no\nsuch row");
  for (
    const handler of [
      () => {
        throw thrown;
      },
      () => Promise.reject(thrown),
    ]
  ) {
    const error = errValue(
      await invokeTool(plainTool(handler), {}, contextWith()),
    );
    assert(error.code === "handler-error");
    assertEquals(error.cause, thrown);
    assertMatch(error.message, /no such row$/);
  }
});

Deno.test("a handler that throws something without a message fails the call, whatever it is", async () => {
  const odd = Object.create(null);
  const error = errValue(
    await invokeTool(
      plainTool(() => {
        throw odd;
      }),
      {},
      contextWith(),
    ),
  );
  assertEquals(error.code, "handler-error");
});

Deno.test("output that breaks the schema, or that JSON can't hold, is output-validation-failed", async () => {
  const cycle: unknown[] = [];
  cycle.push(cycle);
  for (const output of [{ found: 1 }, undefined, "text"]) {
    const error = errValue(
      await invokeTool(
        lookupWith({ handler: () => output }),
        { q: "x" },
        contextWith(),
      ),
    );
    assertEquals(error.code, "output-validation-failed");
  }
  for (const output of [cycle, 1n, { deep: [2n] }]) {
    const error = errValue(
      await invokeTool(plainTool(() => output), {}, contextWith()),
    );
    assert(error.code === "output-validation-failed");
    assertEquals(error.errors[0]?.instancePath, "");
  }
});

Deno.test("output is answered as JSON holds it, mended, and nothing as null", async () => {
  const output = { at: new Date(0), gone: undefined, text: "a\0" };
  assertEquals(
    okValue(await invokeTool(plainTool(() => output), {}, contextWith())),
    { at: "1970-01-01T00:00:00.000Z", text: "a\uFFFD" },
  );
  assertEquals(
    okValue(await invokeTool(plainTool(() => undefined), {}, contextWith())),
    null,
  );
});

Deno.test("a result over 256 KiB of JSON is tool-result-too-large, one at the limit passes", async () => {
  const text = (bytes: number) => plainTool(() => "x".repeat(bytes - 2));
  okValue(await invokeTool(text(262_144), {}, contextWith()));
  const error = errValue(await invokeTool(text(262_145), {}, contextWith()));
  assert(error.code === "tool-result-too-large");
  assertEquals(error.limitBytes, 262_144);
  const small = errValue(
    await invokeTool(text(100), {}, contextWith(), { maxResultBytes: 99 }),
  );
  assertEquals(small.code, "tool-result-too-large");
});

Deno.test("an abort ends a call at once although the tool ignores the signal, and its late result is dropped", async () => {
  const controller = new AbortController();
  let finish = (_value: unknown) => {};
  const tool = plainTool(() => new Promise((resolve) => (finish = resolve)));
  const call = invokeTool(
    tool,
    {},
    contextWith({ abortSignal: controller.signal }),
  );
  controller.abort();
  assertEquals(errValue(await call).code, "tool-aborted");
  finish({ late: true });
});

Deno.test("a call whose signal has aborted before never runs the handler", async () => {
  let ran = false;
  const error = errValue(
    await invokeTool(
      plainTool(() => (ran = true)),
      {},
      contextWith({ abortSignal: AbortSignal.abort() }),
    ),
  );
  assertEquals(error.code, "tool-aborted");
  assert(!ran);
});

Deno.test("a declared variable that the context lacks is precondition-failed, unless the tool runs elsewhere", async () => {
  const needsSpec = {
    env: {
      type: "object",
      properties: {
        REGION: { type: "string" },
        ZONE: { type: "string", default: "a" },
      },
      required: ["REGION", "ZONE"],
    },
  };
  const tool = lookupWith({ needsSpec });
  const error = errValue(await invokeTool(tool, { q: "x" }, contextWith()));
  assertEquals(error.code, "precondition-failed");
  assertMatch(error.message, /REGION/);
  const env = { REGION: "eu" };
  okValue(await invokeTool(tool, { q: "x" }, contextWith({ env })));
  const remote = lookupWith({ needsSpec, transport: "pack-service" });
  okValue(await invokeTool(remote, { q: "x" }, contextWith()));
});

Deno.test("a tool whose own schemas can't be used fails without blaming the model", async () => {
  const input = errValue(
    await invokeTool(
      lookupWith({ input: { type: "nothing" } }),
      { q: "x" },
      contextWith(),
    ),
  );
  assertEquals(input.code, "precondition-failed");
  const output = errValue(
    await invokeTool(
      lookupWith({ output: { type: "nothing" } }),
      { q: "x" },
      contextWith(),
    ),
  );
  assertEquals(output.code, "output-validation-failed");
});

Deno.test("a handler that knows what was refused fails the call with that", async () => {
  const issues = [{ instancePath: "/q", message: "is unknown" }];
  for (
    const code of ["input-validation-failed", "output-validation-failed"]
  ) {
    const error = errValue(
      await invokeTool(
        plainTool(() => {
          throw new ToolCallError(code, "refused", issues);
        }),
        {},
        contextWith(),
      ),
    );
    assertEquals<string>(error.code, code);
    assertEquals("errors" in error && error.errors, issues);
  }
});

Deno.test("the idempotency key is a version 5 UUID over the run, the step, the tool and the call", () => {
  const call = {
    runId: "run-1",
    stepScope: "dispatch-tools@agent-loop#0",
    toolId: "pack.lookup",
    callId: "k1",
  };
  assertEquals(
    toolIdempotencyKey(call),
    "7603737a-c575-52a8-8315-50013151a4d7",
  );
  const { callId: _callId, ...withoutCall } = call;
  assertEquals(
    new Set([
      call,
      withoutCall,
      { ...call, runId: "run-2" },
      { ...call, stepScope: "dispatch-tools@agent-loop#1" },
      { ...call, callId: "k2" },
    ].map(toolIdempotencyKey)).size,
    5,
  );
});
