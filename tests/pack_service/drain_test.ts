/** How a service process ends: signals and drain (cases G). */

import { assert, assertEquals } from "../assert.ts";
import { eventually } from "./support/eventually.ts";
import { ServiceProcess } from "./support/service_process.ts";
import { TempPack } from "./support/temp_pack.ts";

/** Says on standard output that it runs, then waits until a file is there. */
const WAITS = `
  import { existsSync } from "node:fs";
  export default async ({ until }) => {
    console.log("waiting");
    while (!existsSync(until)) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return "done";
  };`;

/** A service with a call that waits until it is released. */
async function withRunningCall(
  test: (
    service: ServiceProcess,
    call: Promise<unknown>,
    release: () => Promise<void>,
  ) => Promise<void>,
): Promise<void> {
  await using pack = await TempPack.write({
    tools: { waits: WAITS, quick: `export default () => "quick";` },
  });
  await using service = await ServiceProcess.start({ index: pack.index });
  const until = `${pack.folder}/released`;
  const call = service.caller.output("waits", { until })
    .catch((error: unknown) => error);
  await eventually(
    "the call",
    () => service.stdout() === "" ? undefined : true,
  );
  await test(service, call, () => Deno.writeTextFile(until, ""));
}

Deno.test("[79] [trap 37] SIGTERM lets a running call finish, refuses new ones, and the process ends with 0", async () => {
  await withRunningCall(async (service, call, release) => {
    service.signal("SIGTERM");
    await service.untilRecord("draining");
    const ready = await service.caller.request("/readyz");
    assertEquals(ready.status, 503);
    assertEquals(ready.body, { error: "draining" });
    assertEquals(ready.headers.get("retry-after"), "1");
    const refused = await service.caller.invoke("quick");
    assertEquals(refused.status, 503);
    assertEquals(refused.body, { error: "draining" });
    assertEquals(refused.headers.get("retry-after"), "1");
    assertEquals((await service.caller.request("/healthz")).status, 200);
    assertEquals((await service.caller.get("/v1/info")).status, 200);
    await release();
    assertEquals(await call, "done");
    assertEquals(await service.ended(), 0);
    const events = service.records().map(({ event }) => event);
    assertEquals(events, ["listening", "draining", "call", "stopped"]);
  });
});

Deno.test("SIGINT and SIGHUP drain as SIGTERM does [decisions 7]", async () => {
  for (const signal of ["SIGINT", "SIGHUP"] as const) {
    await withRunningCall(async (service, call, release) => {
      service.signal(signal);
      await service.untilRecord("draining");
      await release();
      assertEquals(await call, "done");
      assertEquals(await service.ended(), 0);
    });
  }
});

Deno.test("a signal that arrives twice at once is one signal, and a later one ends the process with 1 [executors.md]", async () => {
  await withRunningCall(async (service, call, release) => {
    service.signal("SIGINT");
    await service.untilRecord("draining");
    service.signal("SIGINT");
    await release();
    assertEquals(await call, "done");
    assertEquals(await service.ended(), 0);
  });
  await withRunningCall(async (service, call) => {
    service.signal("SIGTERM");
    await service.untilRecord("draining");
    // How far apart two signals have to be is itself what is tested.
    await new Promise((resolve) => setTimeout(resolve, 700));
    service.signal("SIGTERM");
    assertEquals(await service.ended(), 1);
    // Answered as lost or broken off, whichever came first, but ended.
    assert(await call instanceof Error);
  });
});
