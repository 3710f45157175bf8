/** Calls of AI SDK models that fail: trying again, giving up, and what is told. */
import { APICallError } from "@ai-sdk/provider";
import { AiSdkCallError } from "../../../agents/providers/ai_sdk.ts";
import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
} from "../../assert.ts";
import { deferred } from "../flow/running.ts";
import { CALL, generated, handMade, providerOf } from "./ai_sdk_models.ts";

/** A failure as the SDK throws it, with all that must not get out. */
function failure(
  statusCode: number | undefined,
  more: Partial<ConstructorParameters<typeof APICallError>[0]> = {},
): APICallError {
  return new APICallError({
    message: "it is busy",
    url: "https://models.example/v1?key=hidden-in-url",
    requestBodyValues: { prompt: "hidden-in-body" },
    ...(statusCode === undefined ? {} : { statusCode }),
    responseHeaders: { "retry-after-ms": "1", "set-cookie": "hidden-in-head" },
    ...more,
  });
}

/** A model that fails with each of these before it answers. */
function failing(...failures: readonly unknown[]) {
  const calls = { count: 0 };
  const model = handMade("v4", () => {
    const thrown = failures[calls.count];
    calls.count += 1;
    if (thrown !== undefined) throw thrown;
    return generated();
  });
  return { model, calls };
}

Deno.test("what a provider was too busy for is tried again, within the one call", async () => {
  const { model, calls } = failing(
    failure(429),
    failure(503, { responseHeaders: { "Retry-After": "0" } }),
  );
  const answer = await providerOf(model).invoke(CALL);
  assertEquals(answer.attempts, 3);
  assertEquals(calls.count, 3);
});

Deno.test("a connection that may be tried again is, and a pause is taken where none is asked for", async () => {
  const { model, calls } = failing(
    failure(undefined, { isRetryable: true, responseHeaders: {} }),
  );
  assertEquals((await providerOf(model).invoke(CALL)).attempts, 2);
  assertEquals(calls.count, 2);
});

Deno.test("a time to wait that is none is no leave to hurry", async () => {
  const { model, calls } = failing(
    failure(429, { responseHeaders: { "retry-after": "-5" } }),
  );
  const aborting = new AbortController();
  const answer = providerOf(model)
    .invoke({ ...CALL, abortSignal: aborting.signal });
  // Long before the pause of a quarter of a second at least is over.
  setTimeout(() => aborting.abort(), 20);
  await assertRejects(() => answer);
  assertEquals(calls.count, 1);
});

Deno.test("what trying again can't help is told at once, without what was sent", async () => {
  for (const status of [400, 401, 404, 422]) {
    const { model, calls } = failing(failure(status));
    const error = await assertRejects(
      () => providerOf(model).invoke(CALL),
      AiSdkCallError,
    ) as AiSdkCallError;
    assertEquals(calls.count, 1);
    const wayOut = status === 401
      ? " (check the API key that the model was made with)"
      : "";
    assertEquals(error.message, `HTTP ${status}: it is busy${wayOut}`);
    assertEquals(error.code, "model-provider-failed");
    const told = JSON.stringify({ ...error, cause: error.cause }) + error.stack;
    assert(!told.includes("hidden-in"), told);
  }
});

Deno.test("a secret in a provider's message is masked", async () => {
  const { model } = failing(
    failure(401, { message: "bad Authorization: Bearer sk-secret" }),
  );
  const error = await assertRejects(
    () => providerOf(model).invoke(CALL),
    AiSdkCallError,
  );
  assert(!error.message.includes("sk-secret"), error.message);
});

Deno.test("a secret at the cut of a long message leaves no half behind", async () => {
  const message = `${"x".repeat(1_980)} https://me:hush-hush-hush@host/`;
  const { model } = failing(failure(400, { message }));
  const error = await assertRejects(
    () => providerOf(model).invoke(CALL),
    AiSdkCallError,
  );
  assert(error.message.length < 2_100);
  assert(!error.message.includes("hush"), error.message);
});

Deno.test("after so many attempts a call fails and says how many", async () => {
  const { model, calls } = failing(failure(500), failure(500), failure(500));
  const error = await assertRejects(
    () => providerOf(model).invoke(CALL),
    AiSdkCallError,
    "HTTP 500: it is busy (after 3 attempts)",
  ) as AiSdkCallError;
  assertEquals([error.attempts, error.status, calls.count], [3, 500, 3]);
  const once = failing(failure(500));
  await assertRejects(() => providerOf(once.model, {}, 0).invoke(CALL));
  assertEquals(once.calls.count, 1);
});

Deno.test("nobody waits an hour for a provider, whichever way it says so", async () => {
  const later = new Date(Date.now() + 3_600_000).toUTCString();
  for (
    const responseHeaders of [
      { "retry-after": "3600" },
      { "retry-after": later },
      { "retry-after-ms": "3600000" },
    ] as Record<string, string>[]
  ) {
    const { model, calls } = failing(failure(429, { responseHeaders }));
    await assertRejects(() => providerOf(model).invoke(CALL), AiSdkCallError);
    assertEquals(calls.count, 1);
  }
});

Deno.test("an abort ends a call at once, though the model doesn't listen", async () => {
  const controller = new AbortController();
  const began = deferred();
  const deaf = handMade("v4", () => {
    began.resolve();
    return new Promise(() => {});
  });
  const call = providerOf(deaf).invoke({
    ...CALL,
    abortSignal: controller.signal,
  });
  await began.promise;
  controller.abort();
  await assertRejects(() => call);
});

Deno.test("an abort ends the pause before another attempt", async () => {
  const controller = new AbortController();
  const began = deferred();
  const busy = handMade("v4", () => {
    began.resolve();
    throw failure(429, { responseHeaders: { "retry-after": "30" } });
  });
  const call = providerOf(busy).invoke({
    ...CALL,
    abortSignal: controller.signal,
  });
  await began.promise;
  controller.abort();
  await assertRejects(() => call);
});

Deno.test("whatever is thrown has a message", async () => {
  for (const [thrown, message] of [["odd", "odd"], [null, "null"], [{}, ""]]) {
    const model = handMade("v4", () => {
      throw thrown;
    });
    const error = await assertRejects(
      () => providerOf(model).invoke(CALL),
      AiSdkCallError,
    );
    assertStringIncludes(
      error.message,
      message === "" ? "no reason" : message as string,
    );
  }
  const silent = handMade("v4", () => "text");
  await assertRejects(
    () => providerOf(silent).invoke(CALL),
    Error,
    "no object",
  );
});
