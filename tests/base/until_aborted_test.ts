import { AbortedWaitError, untilAborted } from "../../base/until_aborted.ts";
import { assert, assertEquals, assertRejects } from "../assert.ts";

Deno.test("a wait answers what the work answers, and rejects with what it throws", async () => {
  const { signal } = new AbortController();
  assertEquals(await untilAborted(signal, () => 1), 1);
  assertEquals(await untilAborted(undefined, () => Promise.resolve(2)), 2);
  for (const given of [signal, undefined]) {
    await assertRejects(
      () =>
        untilAborted(given, () => {
          throw new RangeError("now");
        }),
      RangeError,
    );
  }
});

Deno.test("an abort ends a wait at once, and the late outcome is dropped", async () => {
  for (const outcome of ["resolve", "reject"] as const) {
    const controller = new AbortController();
    let settle = () => {};
    const waiting = untilAborted(
      controller.signal,
      () =>
        new Promise<void>((resolve, reject) => {
          settle = outcome === "resolve"
            ? resolve
            : () => reject(new Error("late"));
        }),
    );
    controller.abort("stop");
    const error = await assertRejects(() => waiting, AbortedWaitError);
    assertEquals(error.cause, "stop");
    settle();
  }
});

Deno.test("under an aborted signal nothing is begun", async () => {
  let begun = false;
  await assertRejects(
    () => untilAborted(AbortSignal.abort(), () => (begun = true)),
    AbortedWaitError,
  );
  assert(!begun);
});
