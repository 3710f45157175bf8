import fc from "fast-check";
import { FairQueue } from "../../../agents/instructions/fair_queue.ts";
import {
  encodeFrame,
  FrameReader,
} from "../../../agents/instructions/frames.ts";
import { tenantInputBounds } from "../../../agents/instructions/bounds.ts";
import { RenderBudget } from "../../../agents/instructions/render_budget.ts";
import { parseAnswer } from "../../../agents/instructions/worker_messages.ts";
import { WorkerPool } from "../../../agents/instructions/worker_pool.ts";
import { assert, assertEquals, assertThrows } from "../../assert.ts";

Deno.test("messages come out as they went in, however the bytes are cut", () => {
  fc.assert(fc.property(
    fc.array(fc.string({ unit: "grapheme", maxLength: 200 }), { maxLength: 8 }),
    fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 20 }),
    (messages, cuts) => {
      const bytes = new Uint8Array(
        messages.flatMap((message) => [...encodeFrame(message)]),
      );
      const reader = new FrameReader(10_000);
      const read: string[] = [];
      for (let at = 0, turn = 0; at < bytes.length; turn++) {
        const size = cuts[turn % cuts.length]!;
        read.push(...reader.push(bytes.subarray(at, at + size)));
        at += size;
      }
      assertEquals(read, messages);
    },
  ));
});

Deno.test("long messages pass, longer ones than allowed don't", () => {
  const long = "é".repeat(1_500_000);
  const reader = new FrameReader(3_000_000);
  assertEquals(reader.push(encodeFrame(long)), [long]);
  assertEquals(reader.push(encodeFrame("short")), ["short"]);
  assertThrows(() => reader.push(encodeFrame(`${long}x`)), RangeError);
});

Deno.test("tenants take turns, and each is served in its own order", () => {
  const queue = new FairQueue<string>();
  for (const item of ["a1", "a2", "a3", "b1", "c1", "b2"]) {
    queue.push(item[0]!, item);
  }
  assertEquals(queue.size, 6);
  const taken = [queue.take(), queue.take()];
  queue.push("d", "d1");
  for (let item = queue.take(); item; item = queue.take()) taken.push(item);
  assertEquals(taken, ["a1", "b1", "c1", "a2", "b2", "d1", "a3"]);
  assertEquals(queue.size, 0);
});

Deno.test("between two turns of a tenant, every other waiting tenant has one", () => {
  fc.assert(fc.property(
    fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 60 }),
    (tenants) => {
      const queue = new FairQueue<number>();
      const left = new Map<number, number>();
      for (const tenant of tenants) {
        queue.push(String(tenant), tenant);
        left.set(tenant, (left.get(tenant) ?? 0) + 1);
      }
      const lastServed = new Map<number, number>();
      for (let turn = 0; turn < tenants.length; turn++) {
        const tenant = queue.take()!;
        const since = lastServed.get(tenant);
        if (since !== undefined) {
          const waiting = [...left].filter(([other, count]) =>
            other !== tenant && count > 0 &&
            (lastServed.get(other) ?? -1) < since
          );
          assertEquals(waiting, []);
        }
        lastServed.set(tenant, turn);
        left.set(tenant, left.get(tenant)! - 1);
      }
      assertEquals(queue.take(), undefined);
    },
  ));
});

Deno.test("a long lane is served in order", () => {
  const queue = new FairQueue<number>();
  for (let item = 0; item < 5_000; item++) queue.push("t", item);
  for (let item = 0; item < 4_000; item++) assertEquals(queue.take(), item);
  for (let item = 5_000; item < 6_000; item++) queue.push("t", item);
  for (let item = 4_000; item < 6_000; item++) assertEquals(queue.take(), item);
});

Deno.test("a budget is spent by what ended within the window and by what is under way", () => {
  const budget = new RenderBudget({ ms: 100, windowMs: 6_000 });
  const first = budget.begin("a", 0);
  assertEquals(budget.spent("a", 99), false);
  assertEquals(budget.spent("a", 100), true);
  assertEquals(budget.spent("b", 100), false);
  budget.end(first, 60, 100);
  assertEquals(budget.spent("a", 100), false);
  const second = budget.begin("a", 200);
  assertEquals(budget.spent("a", 239), false);
  assertEquals(budget.spent("a", 240), true);
  budget.end(second, 50, 250);
  assertEquals(budget.spent("a", 6_000), true);
  assertEquals(budget.spent("a", 6_400), false);
});

Deno.test("renders under way at once count together", () => {
  const budget = new RenderBudget({ ms: 100, windowMs: 6_000 });
  const renders = [budget.begin("a", 0), budget.begin("a", 0)];
  assertEquals(budget.spent("a", 49), false);
  assertEquals(budget.spent("a", 50), true);
  for (const render of renders) budget.end(render, 1, 60);
  assertEquals(budget.spent("a", 60), false);
});

Deno.test("an answer that isn't one is told apart", () => {
  for (
    const message of [
      "",
      "{",
      "null",
      '{"rendered":"x"}',
      '{"ms":1,"code":"other","message":"x"}',
      '{"ms":1,"code":"render-failure"}',
      '{"ms":1,"rendered":1}',
    ]
  ) {
    assertEquals(parseAnswer(message), undefined);
  }
  assertEquals(parseAnswer('{"ms":1,"rendered":"x","more":2}'), {
    ms: 1,
    rendered: "x",
  });
});

Deno.test("a pool gives no more workers than may render at once, though another one stands by", async () => {
  let free = 0;
  const freed = Array.from({ length: 2 }, () => {
    let tell = () => {};
    const told = new Promise<void>((resolve) => tell = resolve);
    return { tell, told };
  });
  const pool = new WorkerPool({
    workers: 1,
    maxOldSpaceMb: 64,
    longestMessage: 1_000,
    settings: JSON.stringify({ bounds: tenantInputBounds().liquid }),
    onFree: () => freed[free++]?.tell(),
    onStartFailure: (error) => {
      throw error;
    },
  });
  // The start of a process alone doesn't keep this one alive.
  const alive = setInterval(() => {}, 1_000);
  try {
    await freed[0]!.told;
    pool.prepareStandby();
    await freed[1]!.told;
    const worker = pool.take();
    assert(worker !== undefined);
    assertEquals(pool.take(), undefined);
    worker.giveBack();
    assert(pool.take() !== undefined);
  } finally {
    await pool.close();
    clearInterval(alive);
  }
});
