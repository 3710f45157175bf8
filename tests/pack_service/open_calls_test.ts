import { OpenCalls } from "../../pack_service/open_calls.ts";
import type { SentCall } from "../../pack_service/process_loss.ts";
import { assertEquals } from "../assert.ts";

function call(): SentCall {
  return {
    body: new Uint8Array(),
    begun() {},
    isolated: () => false,
    record() {},
    answered() {},
    lost() {},
  };
}

const BEGUN = { target: "tool", id: "x", ids: {} } as const;

Deno.test("a process that is silent since a begun call was given up is held up by it", () => {
  const calls = new OpenCalls();
  const abandoned = calls.open(call());
  abandoned.begun = BEGUN;
  const now = performance.now();
  abandoned.abandonedAt = now - 2_000;
  assertEquals(calls.isHeldUp(now - 2_000, 2_000), true);
  assertEquals(calls.isHeldUp(now - 5_000, 2_000), true);
  assertEquals(calls.isHeldUp(now - 2_000, 3_000), false);
});

Deno.test("a wanted call that keeps its process busy isn't ended for an older one that was given up", () => {
  const calls = new OpenCalls();
  const abandoned = calls.open(call());
  abandoned.begun = BEGUN;
  const now = performance.now();
  abandoned.abandonedAt = now - 10_000;
  const wanted = calls.open(call());
  wanted.begun = BEGUN;
  assertEquals(calls.isHeldUp(now - 3_000, 2_000), false);
  calls.close(wanted.id);
  assertEquals(calls.isHeldUp(now - 3_000, 2_000), true);
});

Deno.test("a call that never began is no reason to end a process", () => {
  const calls = new OpenCalls();
  const open = calls.open(call());
  open.abandonedAt = performance.now() - 60_000;
  assertEquals(calls.isHeldUp(0, 2_000), false);
  assertEquals(calls.waiting().length, 0);
});

Deno.test("a call is found by itself and by its number until it is closed", () => {
  const calls = new OpenCalls();
  const sent = call();
  const { id } = calls.open(sent);
  assertEquals(calls.find(sent)?.id, id);
  assertEquals(calls.close(id)?.call, sent);
  assertEquals(calls.find(sent), undefined);
  assertEquals(calls.get(id), undefined);
  assertEquals(calls.size, 0);
});
