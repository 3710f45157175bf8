import {
  callModel,
  modelInvocationFailed,
  type ModelUsageRecord,
  recordModelUsage,
} from "../../../agents/routing/mod.ts";
import {
  createScriptedProvider,
  type ScriptedProvider,
} from "../../../agents/providers/mod.ts";
import { err, ok } from "../../../base/result.ts";
import {
  assert,
  assertEquals,
  assertMatch,
  errValue,
  okValue,
} from "../../assert.ts";

/** A provider and its model, to call. */
function pairOf(provider: ScriptedProvider) {
  const [model] = provider.metadata.models;
  assert(model !== undefined);
  return { provider, model };
}

const HELLO = { messages: [{ role: "user", content: "Hello" }] } as const;

Deno.test("a call names the model and answers what is read", async () => {
  const provider = createScriptedProvider({
    id: "p",
    model: "m1",
    answers: [{ text: "Hi" }],
  });
  const answer = okValue(
    await callModel({ ...pairOf(provider), call: HELLO }),
  );
  assertEquals(answer.message.content, "Hi");
  assertEquals(provider.calls, [{ model: "m1", ...HELLO }]);
});

Deno.test("[82] a provider that throws is called once, and named with model and reason", async () => {
  const thrown = new Error("429 slow down");
  const provider = createScriptedProvider({
    id: "p",
    model: "m1",
    answers: () => ({ throws: thrown }),
  });
  const error = errValue(await callModel({ ...pairOf(provider), call: HELLO }));
  assert(error.code === "model-invocation-failed");
  assertMatch(error.message, /provider p, model m1: 429 slow down$/);
  assertEquals(error.cause, thrown);
  assertEquals(provider.calls.length, 1);
});

Deno.test("what was thrown is told on one line of at most 500 characters, or by its class", () => {
  const pair = pairOf(createScriptedProvider({ answers: [] }));
  const reason = (thrown: unknown) =>
    modelInvocationFailed(pair, thrown).message.split("scripted: ")[1] ?? "";
  assertEquals(reason(new Error("a\n  b")), "a b");
  assertEquals(reason(new Error("x".repeat(600))).length, 500);
  assertMatch(reason(new Error("x".repeat(600))), /x…$/);
  assertEquals(reason(new RangeError("")), "RangeError");
  assertEquals(reason("text"), "text");
});

Deno.test("an answer that breaks the contract fails the call, naming the field", async () => {
  const provider = createScriptedProvider({
    answers: [{ usage: { promptTokens: -1, completionTokens: 0 } }],
  });
  const error = errValue(await callModel({ ...pairOf(provider), call: HELLO }));
  assert(error.code === "model-invocation-failed");
  assertMatch(error.message, /usage\.promptTokens is -1/);
});

Deno.test("an answer that throws when it is looked at fails the call, naming the provider", async () => {
  const pair = pairOf(createScriptedProvider({ id: "p", answers: [] }));
  const provider = {
    ...pair.provider,
    invoke: () =>
      Promise.resolve({
        get message(): never {
          throw new Error("not here");
        },
        finishReason: "stop",
      } as never),
  };
  const error = errValue(await callModel({ ...pair, provider, call: HELLO }));
  assert(error.code === "model-invocation-failed");
  assertMatch(error.message, /provider p, .*: not here$/);
});

Deno.test("an abort ends a call at once although the provider ignores it, and a late answer is dropped", async () => {
  const controller = new AbortController();
  let answer = (_answer: { text: string }) => {};
  const provider = createScriptedProvider({
    answers: () => new Promise((resolve) => (answer = resolve)),
  });
  const call = callModel({
    ...pairOf(provider),
    call: { ...HELLO, abortSignal: controller.signal },
  });
  controller.abort();
  assertEquals(errValue(await call).code, "model-call-aborted");
  answer({ text: "late" });
});

Deno.test("under an aborted signal no provider is called", async () => {
  const provider = createScriptedProvider({ answers: [{ text: "Hi" }] });
  const error = errValue(
    await callModel({
      ...pairOf(provider),
      call: { ...HELLO, abortSignal: AbortSignal.abort() },
    }),
  );
  assertEquals(error.code, "model-call-aborted");
  assertEquals(provider.calls, []);
});

const RECORD: ModelUsageRecord = {
  callId: "call-1",
  tenantId: "t-1",
  runId: "run-1",
  providerId: "p",
  model: "m1",
  occurredAt: "2026-01-01T00:00:00.000Z",
  status: "ok",
  durationMs: 1,
};

Deno.test("[171] a sink that fails is asked up to three times with the same record", async () => {
  const failing = [
    () => Promise.reject(new Error("down")),
    () =>
      err({
        code: "persistence-error" as const,
        message: "full",
        cause: null,
      }),
  ] as const;
  for (const fail of failing) {
    for (const failures of [0, 1, 2, 3]) {
      const records: ModelUsageRecord[] = [];
      const outcome = await recordModelUsage({
        record(record) {
          records.push(record);
          return records.length > failures ? ok(undefined) : fail();
        },
      }, RECORD);
      assertEquals(outcome.kind, failures < 3 ? "ok" : "err");
      assertEquals(records.length, Math.min(failures + 1, 3));
      assert(records.every((record) => record === RECORD));
      if (failures < 3) continue;
      assertEquals(errValue(outcome).code, "persistence-error");
      assertMatch(errValue(outcome).message, /call-1 \(p\/m1\): (down|full)$/);
    }
  }
});

Deno.test("without a sink there is nothing to record", async () => {
  okValue(await recordModelUsage(undefined, RECORD));
});
