import { pathToFileURL } from "node:url";
import { z } from "zod";
import { causeOf, describeThrown } from "../../pack_service/causes.ts";
import {
  type HandlerOutcome,
  type ModuleImporter,
  prepareCheck,
  prepareHandler,
  runCheck,
  runHandler,
} from "../../pack_service/handler_runner.ts";
import {
  assert,
  assertEquals,
  assertMatch,
  assertObjectMatch,
  assertStringIncludes,
  errValue,
  okValue,
} from "../assert.ts";

const CTX = { tenantId: "t-1", runId: "run-1" };
const ECHO_INPUT = {
  type: "object",
  properties: { message: { type: "string", minLength: 1 } },
  required: ["message"],
  additionalProperties: false,
};
const ECHO_OUTPUT = {
  type: "object",
  properties: { echoed: { type: "string" } },
  required: ["echoed"],
};
const LENGTH_CONFIG = {
  type: "object",
  properties: { minLength: { type: "integer", minimum: 0 } },
};

interface Call {
  /** The namespace of the tool's module. */
  module: unknown;
  input?: unknown;
  ctx?: unknown;
  inputSchema?: unknown;
  outputSchema?: unknown;
}

function call(
  { module, input = {}, ctx = CTX, inputSchema = {}, outputSchema = {} }: Call,
): Promise<HandlerOutcome> {
  return runHandler({
    tool: { id: "demo.t", modulePath: "t", inputSchema, outputSchema },
    input,
    ctx,
    importHandler: () => Promise.resolve(module),
  });
}

function check(
  module: unknown,
  config: unknown = {},
  configSchema?: unknown,
): Promise<HandlerOutcome> {
  return runCheck({
    check: {
      id: "demo.checks.len",
      modulePath: "c",
      ...(configSchema === undefined ? {} : { configSchema }),
    },
    config,
    trace: { output: "hello" },
    importCheck: () => Promise.resolve(module),
  });
}

/** An importer that fails the test when it is asked. */
const unasked: ModuleImporter = () => {
  throw new Error("the module must not be imported");
};

Deno.test("[25] a missing property is listed as an issue and the module isn't imported", async () => {
  const error = errValue(
    await runHandler({
      tool: {
        id: "demo.echo",
        modulePath: "echo",
        inputSchema: ECHO_INPUT,
        outputSchema: ECHO_OUTPUT,
      },
      input: {},
      ctx: CTX,
      importHandler: unasked,
    }),
  );
  assertObjectMatch(error, {
    code: "input-validation-failed",
    toolId: "demo.echo",
    issues: [{
      instancePath: "",
      keyword: "required",
      params: { missingProperty: "message" },
    }],
  });
  assert(!("cause" in error));
});

Deno.test("[28] an output that breaks its schema names the place", async () => {
  const error = errValue(
    await call({
      module: { default: () => ({ echoed: 7 }) },
      outputSchema: ECHO_OUTPUT,
    }),
  );
  assertObjectMatch(error, {
    code: "output-validation-failed",
    toolId: "demo.t",
    issues: [{ instancePath: "/echoed", keyword: "type" }],
  });
});

for (
  const [how, handler] of [
    ["throws", () => {
      throw new Error("boom");
    }],
    ["rejects", () => Promise.reject(new Error("boom"))],
  ] as const
) {
  Deno.test(`[29] a handler that ${how} an error is handler-throw with the error as cause`, async () => {
    const error = errValue(await call({ module: { default: handler } }));
    assertObjectMatch(error, {
      code: "handler-throw",
      toolId: "demo.t",
      cause: { name: "Error", message: "boom" },
    });
    assertStringIncludes(error.message, "Error: boom");
    const { stack } = error.cause as { stack: unknown };
    assertEquals(typeof stack, "string");
  });
}

Deno.test("[30] a thrown string is the cause, a thrown undefined is null", async () => {
  const thrower = (thrown: unknown) => ({
    default: () => {
      throw thrown;
    },
  });
  const text = errValue(await call({ module: thrower("x") }));
  assertEquals([text.code, text.cause], ["handler-throw", "x"]);
  const nothing = errValue(await call({ module: thrower(undefined) }));
  assert("cause" in nothing);
  assertEquals([nothing.code, nothing.cause], ["handler-throw", null]);
});

Deno.test("[trap 16] a throw is handler-throw even where null would break the output schema", async () => {
  const error = errValue(
    await call({
      module: {
        default: () => {
          throw { error: true };
        },
      },
      outputSchema: ECHO_OUTPUT,
    }),
  );
  assertEquals([error.code, error.cause], [
    "handler-throw",
    { error: true },
  ]);
});

Deno.test("[42] a module without a handler is refused after bad input, not before", async () => {
  const shapeless = { module: { helper: () => 1 }, inputSchema: ECHO_INPUT };
  const good = errValue(await call({ ...shapeless, input: { message: "hi" } }));
  assertEquals([good.code, good.toolId], ["handler-shape-invalid", "demo.t"]);
  const bad = errValue(await call({ ...shapeless, input: {} }));
  assertEquals(bad.code, "input-validation-failed");
});

for (
  const module of [null, undefined, 7, "x", {}, { default: null }, {
    default: [() => 1],
  }]
) {
  Deno.test(`the module ${Deno.inspect(module)} has no handler and no check`, async () => {
    assertEquals(
      errValue(await call({ module })).code,
      "handler-shape-invalid",
    );
    assertEquals(errValue(await check(module)).code, "check-shape-invalid");
  });
}

Deno.test("[45] a check config that breaks its schema is refused before the check runs", async () => {
  const error = errValue(
    await runCheck({
      check: {
        id: "demo.checks.len",
        modulePath: "len",
        configSchema: LENGTH_CONFIG,
      },
      config: { minLength: -1 },
      trace: {},
      importCheck: unasked,
    }),
  );
  assertEquals(error.code, "input-validation-failed");
  assertEquals(
    error.message,
    'Check "demo.checks.len" config failed validation at /minLength: must be >= 0',
  );
  assertEquals(error.toolId, "demo.checks.len");
  assertObjectMatch(error.issues?.[0], {
    instancePath: "/minLength",
    keyword: "minimum",
  });
  const root = errValue(await check({}, 5, LENGTH_CONFIG));
  assertEquals(
    root.message,
    'Check "demo.checks.len" config failed validation: must be object',
  );
});

Deno.test("[47] a check gets its config as sent, without defaults", async () => {
  const configSchema = {
    type: "object",
    properties: { minLength: { type: "integer", default: 3 } },
  };
  const config = {};
  let seen: unknown;
  okValue(
    await check({ check: (c: unknown) => seen = c }, config, configSchema),
  );
  assert(seen === config);
  assertEquals(config, {});
});

Deno.test("[48] a config schema that doesn't compile is refused with the cause, the check not imported", async () => {
  const error = errValue(
    await runCheck({
      check: {
        id: "demo.checks.len",
        modulePath: "len",
        configSchema: { type: "object", required: ["x"] },
      },
      config: {},
      trace: {},
      importCheck: unasked,
    }),
  );
  assertEquals(error.code, "input-validation-failed");
  assertObjectMatch(error.cause, { name: "Error" });
  assert(!("issues" in error));
});

Deno.test("[49] a check that throws is handler-throw, one that can't be loaded handler-import-failed", async () => {
  const thrown = errValue(
    await check({
      check: () => {
        throw new Error("check boom");
      },
    }),
  );
  assertEquals(thrown.code, "handler-throw");
  assertStringIncludes(thrown.message, "check boom");
  const missing = errValue(
    await runCheck({
      check: { id: "demo.checks.len", modulePath: "len" },
      config: {},
      trace: {},
      importCheck: () => Promise.reject(new Error("gone")),
    }),
  );
  assertEquals(missing.code, "handler-import-failed");
  assertStringIncludes(missing.message, "gone");
});

Deno.test("[60] the caller's input is never changed", async () => {
  const input = { name: "Ada", list: [{}] };
  const output = okValue(
    await call({
      module: {
        default: (given: { list: unknown[] }) => {
          given.list.push("more");
          return given;
        },
      },
      input,
      inputSchema: {
        type: "object",
        properties: {
          name: { type: "string" },
          greeting: { type: "string", default: "Hello" },
          list: {
            type: "array",
            items: {
              type: "object",
              properties: { n: { type: "number", default: 1 } },
            },
          },
        },
      },
    }),
  );
  assertEquals(output, {
    name: "Ada",
    greeting: "Hello",
    list: [{ n: 1 }, "more"],
  });
  assertEquals(input, { name: "Ada", list: [{}] });
});

Deno.test("[61] the handler is found in the order default, handler, run, and inside an object handler before run", async () => {
  const a = () => "a";
  const b = () => "b";
  for (
    const [module, expected] of [
      [{ default: { handler: a, run: b } }, "a"],
      [{ default: { run: b } }, "b"],
      [{ default: { handler: a } }, "a"],
      [{ default: a }, "a"],
      [a, "a"],
      [{ default: 5, run: b }, "b"],
      [{ default: null, handler: a, run: b }, "a"],
      [{ default: { nested: { handler: a } }, handler: { run: b } }, "b"],
      [{ default: b, handler: a }, "b"],
    ] as const
  ) {
    assertEquals(okValue(await call({ module })), expected);
  }
});

Deno.test("[decision 6] the ok envelope of a define helper counts as what it holds", async () => {
  const ok = (value: unknown) => ({ kind: "ok", value });
  const handler = () => "ran";
  for (
    const module of [
      { default: ok({ handler }) },
      { handler: ok({ run: handler }) },
      { run: ok(handler) },
    ]
  ) {
    assertEquals(okValue(await call({ module })), "ran");
  }
  const failed = { default: { kind: "err", error: { message: "no" } } };
  assertEquals(
    errValue(await call({ module: failed })).code,
    "handler-shape-invalid",
  );
});

Deno.test("a handler is called without this", async () => {
  const module = {
    default: {
      handler(this: unknown) {
        return this === undefined;
      },
    },
  };
  assertEquals(okValue(await call({ module })), true);
});

Deno.test("[decision 6] a check is found as evaluate, default, check, or inside the default guardrail", async () => {
  const evaluate = () => ({ passed: true });
  const other = () => ({ passed: false });
  const ok = (value: unknown) => ({ kind: "ok", value });
  for (
    const module of [
      { evaluate, default: other },
      { default: evaluate, check: other },
      { default: { evaluate }, check: other },
      { default: { check: { evaluate: other } }, check: { evaluate } },
      { check: evaluate },
      { default: { id: "g", check: { id: "c", evaluate } } },
      { default: ok({ id: "g", check: { id: "c", evaluate } }) },
      { default: ok({ id: "g", check: ok({ id: "c", evaluate }) }) },
      { check: ok({ evaluate }) },
    ]
  ) {
    assertEquals(okValue(await check(module)), { passed: true });
  }
  const builtIn = { default: { id: "g", check: "must-cite" } };
  assertEquals(errValue(await check(builtIn)).code, "check-shape-invalid");
});

Deno.test("a check gets config, trace and its signal, and its result is passed on unchecked", async () => {
  const abortSignal = new AbortController().signal;
  const trace = { output: "a" };
  const config = { minLength: 2 };
  const run = (signal?: AbortSignal) =>
    runCheck({
      check: { id: "c", modulePath: "c", configSchema: LENGTH_CONFIG },
      config,
      trace,
      ...(signal === undefined ? {} : { abortSignal: signal }),
      importCheck: () => ({ check: (...args: unknown[]) => args }),
    });
  const given = okValue(await run(abortSignal)) as unknown[];
  assert(given[0] === config && given[1] === trace);
  assertEquals(given[2], { abortSignal });
  assertEquals((okValue(await run()) as unknown[])[2], {});
});

const zodTool = {
  inputZod: z.object({
    name: z.string().trim(),
    times: z.number().default(2).refine((n) => n > 0, "must be positive"),
  }),
  handler: (input: unknown) => input,
};
const ZOD_INPUT = {
  type: "object",
  properties: {
    name: { type: "string" },
    times: { type: "number", default: 2 },
  },
  required: ["name"],
};

Deno.test("[62] the module's Zod schema trims, fills in defaults and refines", async () => {
  const run = (input: unknown) =>
    call({ module: { default: zodTool }, input, inputSchema: ZOD_INPUT });
  assertEquals(okValue(await run({ name: " Ada " })), {
    name: "Ada",
    times: 2,
  });
  const error = errValue(await run({ name: "Ada", times: -1 }));
  assertEquals(error.code, "input-validation-failed");
  assertEquals(error.issues, [{
    instancePath: "/times",
    message: "must be positive",
  }]);
});

Deno.test("the Zod schema is seen in an envelope and on any object export, not beside a bare function", async () => {
  const input = { name: " Ada " };
  for (
    const module of [
      { default: { kind: "ok", value: zodTool } },
      { default: zodTool.handler, run: zodTool },
    ]
  ) {
    assertEquals(okValue(await call({ module, input })), {
      name: "Ada",
      times: 2,
    });
  }
  const bare = { default: zodTool.handler, inputZod: zodTool.inputZod };
  assertEquals(okValue(await call({ module: bare, input })), input);
});

Deno.test("an asynchronous refinement is awaited and its path is a JSON pointer", async () => {
  const inputZod = z.object({
    "a/b~c": z.array(
      z.string().refine((text) => Promise.resolve(text !== "x"), "no x"),
    ),
  });
  const error = errValue(
    await call({
      module: { default: { inputZod, handler: () => 1 } },
      input: { "a/b~c": ["y", "x"] },
    }),
  );
  assertEquals(error.issues, [{
    instancePath: "/a~1b~0c/1",
    message: "no x",
  }]);
});

Deno.test("[trap 11] every order of optional and default takes an empty input", async () => {
  const text = z.string();
  for (
    const field of [
      text.optional(),
      text.default("x"),
      text.optional().default("x"),
      text.default("x").optional(),
    ]
  ) {
    const inputZod = z.object({ field });
    const inputSchema = z.toJSONSchema(inputZod, { io: "input" });
    okValue(
      await call({
        module: { default: { inputZod, handler: () => 1 } },
        inputSchema,
      }),
    );
  }
});

Deno.test("[trap 12] a tuple of two refuses one element and three", async () => {
  const inputZod = z.object({ pair: z.tuple([z.string(), z.number()]) });
  const run = (pair: unknown[]) =>
    call({
      module: { default: { inputZod, handler: () => 1 } },
      input: { pair },
      inputSchema: z.toJSONSchema(inputZod, { io: "input" }),
    });
  okValue(await run(["a", 1]));
  for (const pair of [["a"], ["a", 1, 2]]) {
    const error = errValue(await run(pair));
    assertEquals(error.code, "input-validation-failed");
    assertEquals(error.issues?.[0]?.instancePath.startsWith("/pair"), true);
  }
});

Deno.test("[trap 15] a refinement that fails is an input failure with issues, and so is one that throws, with its cause", async () => {
  const inputZod = z.object({
    a: z.string().refine((text) => {
      if (text === "throw") throw new Error("refine boom");
      return text === "ok";
    }, "not ok"),
  });
  const run = (a: string) =>
    call({
      module: { default: { inputZod, handler: () => 1 } },
      input: { a },
    });
  okValue(await run("ok"));
  const failed = errValue(await run("bad"));
  assertEquals(failed.code, "input-validation-failed");
  assertEquals(failed.issues, [{ instancePath: "/a", message: "not ok" }]);
  const thrown = errValue(await run("throw"));
  assertEquals(thrown.code, "input-validation-failed");
  assertObjectMatch(thrown.cause, { message: "refine boom" });
});

Deno.test("[63] an input schema that doesn't compile is refused with a cause and no issues", async () => {
  const error = errValue(
    await call({
      module: { default: () => 1 },
      inputSchema: { type: "object", required: ["x"] },
    }),
  );
  assertEquals(error.code, "input-validation-failed");
  assertObjectMatch(error.cause, { name: "Error" });
  assert(!("issues" in error));
});

Deno.test("an output schema that doesn't compile is found out only after the handler ran", async () => {
  let ran = false;
  const error = errValue(
    await call({
      module: { default: () => ran = true },
      outputSchema: { type: "object", required: ["x"] },
    }),
  );
  assert(ran);
  assertEquals(error.code, "output-validation-failed");
  assertObjectMatch(error.cause, { name: "Error" });
});

Deno.test("[trap 3] a tool whose default can't be applied can be prepared, and only its calls fail", async () => {
  const prepared = prepareHandler({
    id: "t",
    modulePath: "t",
    inputSchema: {
      oneOf: [{
        type: "object",
        properties: { a: { type: "string", default: "x" } },
      }],
    },
    outputSchema: {},
  }, unasked);
  const error = errValue(await prepared.run({}, CTX));
  assertEquals(error.code, "input-validation-failed");
  assertStringIncludes(error.message, "default");
});

Deno.test("[66] an importer that throws is handler-import-failed, a handler that answers nothing breaks an object schema", async () => {
  for (
    const importHandler of [
      () => {
        throw new Error("no such file");
      },
      () => Promise.reject(new Error("no such file")),
    ]
  ) {
    const error = errValue(
      await runHandler({
        tool: { id: "t", modulePath: "t", inputSchema: {}, outputSchema: {} },
        input: {},
        ctx: CTX,
        importHandler,
      }),
    );
    assertEquals(error.code, "handler-import-failed");
    assertStringIncludes(error.message, "no such file");
    assertObjectMatch(error.cause, { message: "no such file" });
  }
  const nothing = { default: () => undefined };
  assertEquals(
    errValue(await call({ module: nothing, outputSchema: ECHO_OUTPUT })).code,
    "output-validation-failed",
  );
  assertEquals(okValue(await call({ module: nothing })), null);
  assertEquals(
    okValue(await call({ module: nothing, outputSchema: { type: "null" } })),
    null,
  );
});

Deno.test("[67] a module in a folder with # and spaces in its name loads by its path, its URL too", async () => {
  const root = await Deno.makeTempDir();
  try {
    const folder = `${root}/pack #1 x`;
    await Deno.mkdir(folder);
    const path = `${folder}/tool.mjs`;
    await Deno.writeTextFile(
      path,
      "export default () => 'loaded'; export const check = { evaluate: () => 'checked' };",
    );
    const checkPath = `${folder}/check.mjs`;
    await Deno.writeTextFile(
      checkPath,
      "export const evaluate = () => 'checked';",
    );
    for (const modulePath of [path, pathToFileURL(path).href]) {
      const outcome = await runHandler({
        tool: { id: "t", modulePath, inputSchema: {}, outputSchema: {} },
        input: {},
        ctx: CTX,
      });
      assertEquals(okValue(outcome), "loaded");
    }
    const outcome = await runCheck({
      check: { id: "c", modulePath: checkPath },
      config: {},
      trace: {},
    });
    assertEquals(okValue(outcome), "checked");
    const missing = await runHandler({
      tool: {
        id: "t",
        modulePath: `${folder}/missing.mjs`,
        inputSchema: {},
        outputSchema: {},
      },
      input: {},
      ctx: CTX,
    });
    assertEquals(errValue(missing).code, "handler-import-failed");
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});

Deno.test("a given importer gets the path untouched", async () => {
  const asked: string[] = [];
  await runHandler({
    tool: { id: "t", modulePath: "./a #b", inputSchema: {}, outputSchema: {} },
    input: {},
    ctx: CTX,
    importHandler: (path) => {
      asked.push(path);
      return { default: () => 1 };
    },
  });
  assertEquals(asked, ["./a #b"]);
});

Deno.test("[68] the handler gets the very ctx that was given", async () => {
  const ctx = { ...CTX };
  let seen: unknown;
  await call({
    module: { default: (_input: unknown, given: unknown) => seen = given },
    ctx,
  });
  assert(seen === ctx);
});

Deno.test("[decision 6] input that can't be copied is input-validation-failed with a cause", async () => {
  const error = errValue(
    await call({ module: { default: () => 1 }, input: { f: () => 1 } }),
  );
  assertEquals(error.code, "input-validation-failed");
  assertObjectMatch(error.cause, { name: "DataCloneError" });
});

Deno.test("[decision 6] a throw that can't be printed is handler-throw all the same", async () => {
  const unprintable = {
    toString() {
      throw new Error("no");
    },
    toJSON() {
      throw new Error("no");
    },
  };
  const hostile = Object.defineProperty(new Error("x"), "message", {
    get() {
      throw new Error("no");
    },
  });
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  for (
    const thrown of [
      Object.create(null),
      unprintable,
      hostile,
      proxy,
      Symbol("s"),
      { n: 1n },
    ]
  ) {
    const error = errValue(
      await call({
        module: {
          default: () => {
            throw thrown;
          },
        },
      }),
    );
    assertEquals(error.code, "handler-throw");
    JSON.stringify(error);
  }
});

Deno.test("a cause is plain JSON data", () => {
  class OwnError extends TypeError {
    override readonly name = "OwnError";
    readonly detail = 1;
  }
  const cause = causeOf(new OwnError("m")) as Record<string, unknown>;
  assertEquals(Object.keys(cause), ["name", "message", "stack"]);
  assertMatch(String(cause["stack"]), /m/);
  const cyclic: Record<string, unknown> = {};
  cyclic["self"] = cyclic;
  for (
    const [thrown, expected] of [
      [undefined, null],
      [null, null],
      ["x", "x"],
      [7, 7],
      [false, false],
      [{ a: [1] }, { a: [1] }],
      [10n, "10"],
      [Symbol("s"), "Symbol(s)"],
      [cyclic, "[object Object]"],
    ] as const
  ) {
    assertEquals(causeOf(thrown) as unknown, expected as unknown);
  }
});

Deno.test("what was thrown is described in one line", () => {
  assertEquals(describeThrown(new TypeError("m")), "TypeError: m");
  assertEquals(describeThrown(new TypeError()), "TypeError");
  assertEquals(describeThrown("text"), "text");
  assertEquals(describeThrown(undefined), "undefined");
  assert(describeThrown(Object.create(null)).length > 0);
});

Deno.test("[trap 5] a __proto__ key is data: closed schemas refuse it, and no handler inherits from it", async () => {
  const input = JSON.parse('{"__proto__":{"x":1}}');
  const seen = okValue(
    await call({
      module: {
        default: (given: { x?: unknown }) => ({ x: given.x ?? "none" }),
      },
      input,
    }),
  );
  assertEquals(seen, { x: "none" });
  const error = errValue(
    await call({
      module: { default: () => 1 },
      input,
      inputSchema: { type: "object", additionalProperties: false },
    }),
  );
  assertEquals(error.code, "input-validation-failed");
  assertEquals(({} as { x?: unknown }).x, undefined);
});

Deno.test("[trap 8] input nested too deep is input-validation-failed and the next call works", async () => {
  const inputSchema = {
    $ref: "#/$defs/list",
    $defs: { list: { type: "array", items: { $ref: "#/$defs/list" } } },
  };
  let deep: unknown = [];
  for (let level = 0; level < 100_000; level++) deep = [deep];
  const prepared = prepareHandler(
    { id: "t", modulePath: "t", inputSchema, outputSchema: {} },
    () => ({ default: () => "ok" }),
  );
  for (const ownsInput of [false, true]) {
    const error = errValue(await prepared.run(deep, CTX, { ownsInput }));
    assertEquals(error.code, "input-validation-failed");
    assertEquals(okValue(await prepared.run([[]], CTX)), "ok");
  }
});

Deno.test("a prepared handler runs without a promise when nothing in it is asynchronous", () => {
  const prepared = prepareHandler(
    {
      id: "t",
      modulePath: "t",
      inputSchema: ECHO_INPUT,
      outputSchema: ECHO_OUTPUT,
    },
    () => ({
      default: (input: { message: string }) => ({ echoed: input.message }),
    }),
  );
  const outcome = prepared.run({ message: "hi" }, CTX);
  assert(!(outcome instanceof Promise));
  assertEquals(okValue(outcome), { echoed: "hi" });
  const refused = prepared.run({}, CTX);
  assert(!(refused instanceof Promise));
  assertEquals(errValue(refused).code, "input-validation-failed");
});

Deno.test("a prepared handler asks its importer on every call and looks for the handler once per module", async () => {
  let asked = 0;
  let looked = 0;
  const namespace = (answer: string) => ({
    get default() {
      looked += 1;
      return () => answer;
    },
  });
  let current = namespace("old");
  const prepared = prepareHandler(
    { id: "t", modulePath: "t", inputSchema: {}, outputSchema: {} },
    () => {
      asked += 1;
      return current;
    },
  );
  assertEquals(okValue(await prepared.run({}, CTX)), "old");
  const lookedOnce = looked;
  assertEquals(okValue(await prepared.run({}, CTX)), "old");
  assertEquals([asked, looked], [2, lookedOnce]);
  current = namespace("new");
  assertEquals(okValue(await prepared.run({}, CTX)), "new");
});

Deno.test("input that the runner owns gets its defaults in place, other input is copied", async () => {
  const prepared = prepareHandler(
    {
      id: "t",
      modulePath: "t",
      inputSchema: {
        type: "object",
        properties: { a: { type: "number", default: 1 } },
      },
      outputSchema: {},
    },
    () => ({ default: (input: unknown) => input }),
  );
  const owned = {};
  assert(
    okValue(await prepared.run(owned, CTX, { ownsInput: true })) === owned,
  );
  assertEquals(owned, { a: 1 });
  const given = {};
  assertEquals(okValue(await prepared.run(given, CTX)), { a: 1 });
  assertEquals(given, {});
});

Deno.test("a module whose exports can't be read is of invalid shape, with the cause", async () => {
  const module = {
    get default(): never {
      throw new ReferenceError("not yet");
    },
    get evaluate(): never {
      throw new ReferenceError("not yet");
    },
  };
  const tool = errValue(await call({ module }));
  assertEquals(tool.code, "handler-shape-invalid");
  assertObjectMatch(tool.cause, { name: "ReferenceError" });
  assertEquals(errValue(await check(module)).code, "check-shape-invalid");
});

Deno.test("a prepared check runs again and again, without a promise when it is synchronous", () => {
  const prepared = prepareCheck(
    { id: "c", modulePath: "c", configSchema: LENGTH_CONFIG },
    () => ({ check: { evaluate: () => ({ passed: true }) } }),
  );
  for (let times = 0; times < 2; times++) {
    const outcome = prepared.run({ minLength: 1 }, {});
    assert(!(outcome instanceof Promise));
    assertEquals(okValue(outcome), { passed: true });
  }
});
