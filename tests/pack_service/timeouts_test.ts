import { MAX_TIMEOUT_MS, Timeouts } from "../../pack_service/timeouts.ts";
import { assert, assertEquals } from "../assert.ts";
import { eventually } from "./support/eventually.ts";

Deno.test("waits of one duration fire in the order in which they began, never early", async () => {
  const timeouts = new Timeouts();
  const fired: [number, number][] = [];
  const began = performance.now();
  for (let number = 0; number < 5; number++) {
    timeouts.start(20, () => fired.push([number, performance.now() - began]));
  }
  await eventually("five waits", () => fired.length === 5 || undefined);
  assertEquals(fired.map(([number]) => number), [0, 1, 2, 3, 4]);
  assert(fired.every(([, after]) => after >= 18), Deno.inspect(fired));
});

Deno.test("a wait that begins later fires later, not with an earlier one of the same duration", async () => {
  const timeouts = new Timeouts();
  const after: number[] = [];
  const start = (): void => {
    const began = performance.now();
    timeouts.start(80, () => after.push(performance.now() - began));
  };
  start();
  let began = false;
  timeouts.start(40, () => {
    start();
    began = true;
  });
  await eventually("both", () => began && after.length === 2 || undefined);
  assert(after.every((ms) => ms >= 78), Deno.inspect(after));
});

Deno.test("a cancelled wait never fires, wherever it stands among others", async () => {
  const timeouts = new Timeouts();
  const fired: number[] = [];
  const waits = [0, 1, 2, 3, 4].map((number) =>
    timeouts.start(15, () => fired.push(number))
  );
  for (const number of [0, 2, 4]) waits[number]!.cancel();
  await eventually("two waits", () => fired.length === 2 || undefined);
  assertEquals(fired, [1, 3]);
});

Deno.test("cancelling twice, or after the wait fired, does nothing", async () => {
  const timeouts = new Timeouts();
  let fired = 0;
  const first = timeouts.start(5, () => fired++);
  const second = timeouts.start(5, () => fired++);
  first.cancel();
  first.cancel();
  await eventually("the wait", () => fired === 1 || undefined);
  second.cancel();
  const third = timeouts.start(5, () => fired++);
  second.cancel();
  await eventually("the next wait", () => fired === 2 || undefined);
  third.cancel();
});

Deno.test("a wait that fires may cancel its neighbour and begin another of the same duration", async () => {
  const timeouts = new Timeouts();
  const fired: string[] = [];
  const first = timeouts.start(10, () => {
    fired.push("first");
    second.cancel();
    timeouts.start(10, () => fired.push("third"));
  });
  const second = timeouts.start(10, () => fired.push("second"));
  await eventually("the third", () => fired.includes("third") || undefined);
  assertEquals(fired, ["first", "third"]);
  first.cancel();
});

Deno.test("waits of different durations don't disturb each other", async () => {
  const timeouts = new Timeouts();
  const fired: number[] = [];
  for (const ms of [40, 1, 20]) timeouts.start(ms, () => fired.push(ms));
  await eventually("three waits", () => fired.length === 3 || undefined);
  assertEquals(fired, [1, 20, 40]);
});

Deno.test("a wait longer than a timer can take is clamped, not fired at once", async () => {
  const timeouts = new Timeouts();
  let fired = false;
  const wait = timeouts.start(MAX_TIMEOUT_MS * 4, () => fired = true);
  const endless = timeouts.start(Infinity, () => fired = true);
  let later = false;
  timeouts.start(20, () => later = true);
  await eventually("a short wait", () => later || undefined);
  assertEquals(fired, false);
  wait.cancel();
  endless.cancel();
  timeouts.rest();
});
