/** What signals do to the front and its executors (`spec/executors.md`, Signals and processes). */

import { assert, assertEquals } from "../assert.ts";
import { errorOf } from "./support/caller.ts";
import { eventually } from "./support/eventually.ts";
import { untilText } from "./support/output.ts";
import { childrenOf, isAlive } from "./support/processes.ts";
import { HAS_EXECUTORS } from "./support/service_command.ts";
import { ServiceProcess } from "./support/service_process.ts";
import { TempPack } from "./support/temp_pack.ts";

const TOOLS = {
  "test.echo": "export default async (input) => input;",
  "test.slow": `export default async ({ ms }, ctx) => {
    ctx.log.info("slow", { ms });
    await new Promise((resolve) => setTimeout(resolve, ms));
    return "done";
  };`,
  "test.spin": `export default async () => {
    console.error("spinning");
    for (;;);
  };`,
};

Deno.test(
  "executors ignore the signals that a terminal sends to the whole group",
  { ignore: !HAS_EXECUTORS },
  async () => {
    await using pack = await TempPack.write({ tools: TOOLS });
    await using service = await ServiceProcess.start({ index: pack.index });
    const [executor] = await childrenOf(service.pid);
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      Deno.kill(executor!, signal);
    }
    assertEquals(await service.caller.output("test.echo", { a: 1 }), { a: 1 });
    assertEquals(await childrenOf(service.pid), [executor]);
    assertEquals(service.records("executor-lost"), []);
  },
);

for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
  Deno.test(`${signal} drains, and the same one again at once is the same one`, async () => {
    await using pack = await TempPack.write({ tools: TOOLS });
    const temporary = `${pack.folder}/tmp`;
    await Deno.mkdir(temporary);
    await using service = await ServiceProcess.start({
      index: pack.index,
      env: { TMPDIR: temporary },
    });
    const [executor] = await childrenOf(service.pid);
    assertEquals(
      [...Deno.readDirSync(temporary)].length,
      HAS_EXECUTORS ? 1 : 0,
    );
    const slow = service.caller.output("test.slow", { ms: 1_000 })
      .catch((error: Error) => error.message);
    await untilText(service, '"message":"slow"');
    const from = performance.now();
    service.signal(signal);
    await service.untilRecord("draining");
    service.signal(signal);
    const atOnce = performance.now() - from < 400;
    // On a machine that is too busy to send it at once it is a second signal, which is another test's.
    if (!atOnce) return;
    assertEquals(await slow, "done");
    assertEquals(await service.ended(), 0);
    assertEquals(service.records("draining").length, 1);
    assertEquals(service.records("stopped").length, 1);
    if (executor !== undefined) assertEquals(await isAlive(executor), false);
    assertEquals([...Deno.readDirSync(temporary)], [], "nothing is left there");
  });
}

Deno.test("a later second signal kills the executors and ends with 1", {
  ignore: !HAS_EXECUTORS,
}, async () => {
  await using pack = await TempPack.write({ tools: TOOLS });
  const temporary = `${pack.folder}/tmp`;
  await Deno.mkdir(temporary);
  await using service = await ServiceProcess.start({
    index: pack.index,
    env: { TMPDIR: temporary },
  });
  const [executor] = await childrenOf(service.pid);
  const spun = service.caller.invoke("test.spin").then(
    (answer) => errorOf(answer).code,
    () => "cut off",
  );
  await untilText(service, "spinning");
  service.signal("SIGTERM");
  await service.untilRecord("draining");
  // Until it is another signal and no echo of the first.
  const end = performance.now() + 600;
  await eventually("600 ms", () => performance.now() > end || undefined);
  service.signal("SIGTERM");
  assertEquals(await service.ended(), 1);
  assert(["cut off", "handler-throw"].includes(await spun));
  assertEquals(service.records("stopped"), []);
  await eventually(
    "the executor's end",
    async () => await isAlive(executor!) ? undefined : true,
  );
  assertEquals([...Deno.readDirSync(temporary)], [], "nothing is left there");
});

Deno.test("a signal while the pack still loads stops the service as soon as it could serve", async () => {
  await using pack = await TempPack.write({
    tools: {
      "test.late": `
        import { existsSync } from "node:fs";
        console.error("loading");
        while (!existsSync(new URL("./go", import.meta.url))) {
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
        export default async () => "loaded";
      `,
    },
  });
  await using service = await ServiceProcess.spawn({ index: pack.index });
  await untilText(service, "loading");
  service.signal("SIGTERM");
  await service.untilRecord("draining");
  await Deno.writeTextFile(`${pack.folder}/tools/go`, "");
  assertEquals(await service.ended(), 0);
  assertEquals(service.records("stopped").length, 1);
});
