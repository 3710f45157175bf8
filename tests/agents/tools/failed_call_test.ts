import fc from "fast-check";
import {
  decideFailedCall,
  failedCallKind,
  invokeTool,
  isToolErrorRetry,
  type ToolInvocationError,
  toolInvocationFailed,
  unresolvedToolCall,
} from "../../../agents/tools/mod.ts";
import { assert, assertEquals, assertMatch, errValue } from "../../assert.ts";
import { contextWith, lookupWith, plainTool } from "./tool_fixture.ts";

const DEFAULT_POLICY = {
  maxRetries: 1,
  retryOn: ["invalid-arguments", "unknown-tool"],
} as const;

/** The error of a call of the tool with these arguments. */
async function failedWith(
  args: unknown,
  tool = lookupWith(),
): Promise<ToolInvocationError> {
  const error = errValue(await invokeTool(tool, args, contextWith()));
  return toolInvocationFailed(tool.id, error, args);
}

Deno.test("[63] a call with bad arguments goes back to the model with its kind and issues", async () => {
  const error = await failedWith({ query: "x" });
  const decision = decideFailedCall({ error, policy: DEFAULT_POLICY, used: 0 });
  assert(decision.kind === "retry");
  const { content } = decision;
  assertEquals(content.kindgi, "tool-error-retry");
  assertEquals(content.status, "failed");
  assertEquals(content.error.kind, "invalid-arguments");
  assertEquals(
    content.error.issues?.map(({ params }) => params),
    [{ missingProperty: "q" }, { additionalProperty: "query" }],
  );
  assertMatch(content.instruction, /did not run/);
  assert(isToolErrorRetry(content));
  assert(isToolErrorRetry(JSON.stringify(content)));
});

Deno.test("[64] past the retries the turn fails with what the model wrote and what is wrong with it", async () => {
  const error = await failedWith({ query: "x" });
  const decision = decideFailedCall({ error, policy: DEFAULT_POLICY, used: 1 });
  assert(decision.kind === "fail");
  assertEquals(decision.error.toolRetries, 1);
  assert(decision.error.code === "tool-invocation-failed");
  assertEquals(decision.error.receivedInput, { query: "x" });
  assertEquals(decision.error.validationIssues?.length, 2);
  assertEquals(
    (decision.error.cause as { code: string }).code,
    "input-validation-failed",
  );
});

Deno.test("[66] an unknown tool goes back as unknown-tool", () => {
  const error = unresolvedToolCall("pack.nope");
  assertEquals(failedCallKind(error), "unknown-tool");
  const decision = decideFailedCall({ error, policy: DEFAULT_POLICY, used: 0 });
  assert(decision.kind === "retry");
  assertEquals(decision.content.error.kind, "unknown-tool");
  assertEquals(decision.content.error.issues, undefined);
  assertMatch(decision.content.error.message, /pack\.nope/);
});

Deno.test("[67] a handler's failure ends the turn by default, without toolRetries", async () => {
  const error = await failedWith(
    {},
    plainTool(() => {
      throw new Error("down");
    }),
  );
  const decision = decideFailedCall({ error, policy: DEFAULT_POLICY, used: 0 });
  assert(decision.kind === "fail");
  assertEquals((error.cause as { code: string }).code, "handler-error");
  assert(!("toolRetries" in decision.error));
  assert(!("receivedInput" in decision.error));
});

Deno.test("[68] where the policy says so, a handler's failure goes back as tool-error", async () => {
  const error = await failedWith(
    {},
    plainTool(() => {
      throw new Error("down");
    }),
  );
  const policy = { maxRetries: 1, retryOn: ["tool-error"] } as const;
  const decision = decideFailedCall({ error, policy, used: 0 });
  assert(decision.kind === "retry");
  assertEquals(decision.content.error.kind, "tool-error");
  assertMatch(decision.content.error.message, /down/);
});

Deno.test("[69] no retries at all fail the turn at once, with toolRetries 0", async () => {
  const error = await failedWith({ query: "x" });
  const policy = { ...DEFAULT_POLICY, maxRetries: 0 };
  const decision = decideFailedCall({ error, policy, used: 0 });
  assert(decision.kind === "fail");
  assertEquals(decision.error.toolRetries, 0);
});

Deno.test("[72] off-schema output is a tool-error", async () => {
  const error = await failedWith(
    { q: "x" },
    lookupWith({ handler: () => ({ found: 1 }) }),
  );
  assertEquals(failedCallKind(error), "tool-error");
  assertEquals(
    (error.cause as { code: string }).code,
    "output-validation-failed",
  );
});

Deno.test("[73] received input over 4 096 bytes of JSON becomes a cut text", async () => {
  const { receivedInput } = await failedWith({ query: "x".repeat(10_000) });
  assert(typeof receivedInput === "string");
  assert(receivedInput.length <= 4_200);
  assertMatch(receivedInput, /^\{"query":"x+… \[cut; 10012 bytes in all\]$/);
});

Deno.test("a refusal of the authoriser is a tool-error with its own cause", () => {
  const cause = { code: "not-authorized", message: "u-1 may not" };
  const error = toolInvocationFailed("pack.lookup", cause, { q: "x" });
  assertEquals(failedCallKind(error), "tool-error");
  assertEquals(error, {
    code: "tool-invocation-failed",
    message: "u-1 may not",
    toolId: "pack.lookup",
    cause,
  });
});

Deno.test("what goes back to the model has at most 4 096 bytes, whatever went wrong", () => {
  const text = fc.string({ unit: "binary", maxLength: 3_000 });
  const issue = fc.record({
    instancePath: text,
    message: text,
    params: fc.dictionary(fc.string(), text, { maxKeys: 3 }),
  });
  fc.assert(
    fc.property(text, fc.array(issue, { maxLength: 40 }), (message, errors) => {
      const code = "input-validation-failed";
      const error = toolInvocationFailed("t", { code, message, errors } as {
        code: string;
        message: string;
      }, {});
      const decision = decideFailedCall({
        error,
        policy: DEFAULT_POLICY,
        used: 0,
      });
      assert(decision.kind === "retry");
      const json = JSON.stringify(decision.content);
      assert(new TextEncoder().encode(json).length <= 4_096);
      assert(isToolErrorRetry(json));
    }),
    { numRuns: 50 },
  );
});

Deno.test("a retry is told from every other result", () => {
  for (
    const other of [
      "tool-error-retry",
      '{"text":"tool-error-retry"}',
      '{"kindgi":"tool-error-retry"',
      "",
      null,
      { kindgi: "other" },
      ["tool-error-retry"],
    ]
  ) {
    assert(!isToolErrorRetry(other));
  }
});
