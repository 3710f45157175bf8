/** Deadlines, callers that leave, and load, against a started service (cases E). */

import { assert, assertEquals } from "../assert.ts";
import { type Caller, errorOf, toolCall } from "./support/caller.ts";
import { eventually } from "./support/eventually.ts";
import { invokeHead, RawClient } from "./support/raw_client.ts";
import { HAS_EXECUTORS } from "./support/service_command.ts";
import { ServiceProcess } from "./support/service_process.ts";
import { TempPack } from "./support/temp_pack.ts";

/** Every call waits until a second one has come. */
const MEETS = `
  let arrived;
  export default () => new Promise((resolve) => {
    if (arrived) { arrived(); resolve({}); arrived = undefined; }
    else arrived = () => resolve({});
  });`;

/** Settles when its call is aborted; another tool tells what happened to it. */
const LISTENS = `
  globalThis.heard = [];
  export default (_input, ctx) => new Promise((resolve) => {
    globalThis.heard.push("call");
    console.log("listening");
    ctx.abortSignal.addEventListener("abort", () => {
      globalThis.heard.push("abort");
      resolve({});
    });
  });`;

/** Keeps its thread for a while, and says so before. */
const SPINS = `
  export default ({ ms }) => {
    console.log("spinning");
    const end = performance.now() + ms;
    while (performance.now() < end);
    return {};
  };`;

let pack: TempPack;
let service: ServiceProcess;
let caller: Caller;
Deno.test.beforeAll(async () => {
  pack = await TempPack.write({
    tools: {
      meets: MEETS,
      listens: LISTENS,
      heard: `export default () => globalThis.heard;`,
      spins: SPINS,
      deaf: `export default ({ ms }) =>
        new Promise((resolve) => setTimeout(resolve, ms, {}));`,
      quick: `export default () => "quick";`,
    },
    guardrails: {
      slow: {
        code:
          `export const check = { evaluate: (_config, _trace, { abortSignal }) =>
          new Promise((resolve) => {
            abortSignal.addEventListener("abort", () => resolve({}));
          }) };`,
      },
    },
  });
  service = await ServiceProcess.start({ index: pack.index });
  caller = service.caller;
});
Deno.test.afterAll(async () => {
  assertEquals(await service.stop(), 0);
  await pack[Symbol.asyncDispose]();
});

const within = (ms: string) => ({ headers: { "kindgi-timeout-ms": ms } });

/** A deadline that passes soon, yet not before a busy machine has begun the call. */
const SOON = within("400");

/** Waits until the listening tool has heard exactly this. */
async function heard(expected: readonly string[]): Promise<void> {
  await eventually(expected.join(), async () => {
    const heard = await caller.output("heard") as string[];
    return heard.join() === expected.join() ? heard : undefined;
  });
}

Deno.test("[52] a tool is answered for at its deadline, and its signal fires", async () => {
  const error = await caller.error("listens", {}, SOON);
  assertEquals(error.code, "deadline-exceeded");
  assertEquals(error.toolId, "listens");
  await heard(["call", "abort"]);
  await service.untilRecord("call", {
    toolId: "listens",
    outcome: "deadline-exceeded",
    runId: "run-1",
    level: "warn",
  });
});

Deno.test("[53] a check is answered for at its deadline, and told as finished late once it stops", async () => {
  const error = errorOf(await caller.check("slow", {}, {}, SOON));
  assertEquals(error.code, "deadline-exceeded");
  assertEquals(error.checkId, "slow");
  assertEquals("toolId" in error, false);
  const late = await service.untilRecord("handler-finished-late", {
    checkId: "slow",
  });
  assertEquals(late.target, "check");
  assertEquals(Number.isInteger(late.afterMs), true);
});

Deno.test("a handler that ends after its call is told as finished late, with the call's ids", async () => {
  const error = await caller.error("deaf", { ms: 1_000 }, {
    ...SOON,
    ctx: { tenantId: "t-late", runId: "run-late" },
  });
  assertEquals(error.code, "deadline-exceeded");
  const late = await service.untilRecord("handler-finished-late", {
    toolId: "deaf",
  });
  assertEquals(late.runId, "run-late");
  assertEquals(late.tenantId, "t-late");
  assert(Number(late.afterMs) >= 400, `after ${late.afterMs} ms`);
});

Deno.test("anything but a positive whole number means the default deadline", async () => {
  for (const ms of ["0", "-5", "1.5", "abc", "", "NaN", "Infinity"]) {
    assertEquals(await caller.output("quick", {}, within(ms)), "quick");
  }
});

Deno.test("a deadline beyond what timers can wait doesn't fire at once [decisions 7]", async () => {
  for (const ms of ["2147483648", "99999999999999"]) {
    const output = await caller.output("deaf", { ms: 200 }, within(ms));
    assertEquals(output, {});
  }
});

Deno.test("[55] [trap 36] a caller who leaves cancels the call", async () => {
  const before = await caller.output("heard") as string[];
  const leave = new AbortController();
  const call = caller.invoke("listens", {}, {
    signal: leave.signal,
    ctx: { tenantId: "t", runId: "run-left" },
  });
  await heard([...before, "call"]);
  leave.abort();
  await call.catch(() => {});
  await heard([...before, "call", "abort"]);
  await service.untilRecord("call", {
    toolId: "listens",
    runId: "run-left",
    outcome: "cancelled",
    target: "tool",
  });
  await service.untilRecord("handler-finished-late", { runId: "run-left" });
});

Deno.test("[56] a call over the cap is refused, and the slot of one that was cancelled is free again", async () => {
  await using small = await ServiceProcess.start({
    index: pack.index,
    env: { KINDGI_PACK_SERVICE_MAX_CONCURRENCY: "1" },
  });
  using first = await RawClient.connect(small.port);
  const body = JSON.stringify(toolCall("listens"));
  await first.send(invokeHead(`content-length: ${body.length}`) + body);
  await eventually(
    "the first call",
    () => small.stdout() === "" ? undefined : true,
  );
  const refused = await small.caller.invoke("quick");
  assertEquals(refused.status, 503);
  assertEquals(refused.body, { error: "overloaded" });
  assertEquals(refused.headers.get("retry-after"), "1");
  assertEquals((await small.caller.request("/readyz")).status, 200);
  assertEquals((await small.caller.request("/healthz")).status, 200);

  first.close();
  await small.untilRecord("call", { outcome: "cancelled" });
  assertEquals(await small.caller.output("quick"), "quick");
});

Deno.test("[57] calls run side by side", async () => {
  // Each waits for the other: one after the other they would never end.
  const both = [caller.output("meets"), caller.output("meets")];
  assertEquals(await Promise.all(both), [{}, {}]);
});

Deno.test({
  name: "[trap 44] a tool that keeps its thread delays no probe",
  ignore: !HAS_EXECUTORS,
  fn: async () => {
    const busy = caller.output("spins", { ms: 3_000 });
    let ended = false;
    busy.then(() => ended = true);
    await eventually(
      "the busy loop",
      () => service.stdout().includes("spinning") || undefined,
    );
    for (const path of ["/healthz", "/readyz", "/v1/info"]) {
      const asked = performance.now();
      assertEquals((await caller.get(path)).status, 200);
      const tookMs = performance.now() - asked;
      assert(tookMs < 1_000, `${path} took ${tookMs} ms`);
    }
    assertEquals(ended, false);
    assertEquals(await busy, {});
  },
});

Deno.test({
  name: "a tool that keeps its thread is answered for at its deadline",
  ignore: !HAS_EXECUTORS,
  fn: async () => {
    const call = caller.error("spins", { ms: 1_500 }, SOON);
    assertEquals((await call).code, "deadline-exceeded");
    // What waits for the thread is served in the end.
    assertEquals(await caller.output("quick"), "quick");
  },
});

Deno.test("[52] a handler that is deaf to its signal isn't waited for", async () => {
  // Deaf for longer than a test waits for anything, the service's end after this test included.
  const error = await caller.error("deaf", { ms: 60_000 }, SOON);
  assertEquals(error.code, "deadline-exceeded");
});
