/** One executor's place, with a real process in it (`spec/executors.md`, Which executors). */

import type { ExecutorLostEvent } from "../../pack_service/events.ts";
import type { CallAnswer } from "../../pack_service/executor.ts";
import type { ExecutorLaunch } from "../../pack_service/executor_launch.ts";
import { ExecutorSlot } from "../../pack_service/executor_slot.ts";
import { prepareExecutors } from "../../pack_service/front_executor.ts";
import { loadPack } from "../../pack_service/load_pack.ts";
import type { SentCall } from "../../pack_service/process_loss.ts";
import { readPackServiceConfig } from "../../pack_service/settings.ts";
import { assertEquals, okValue } from "../assert.ts";
import { toolCall } from "./support/caller.ts";
import { eventually } from "./support/eventually.ts";
import { TempPack } from "./support/temp_pack.ts";

/** Prepares the executor of a pack's one strict tool, and answers what the test makes of it. */
async function withLaunch(
  code: string,
  test: (launch: ExecutorLaunch, socketFolder: string) => Promise<void>,
): Promise<void> {
  await using pack = await TempPack.write({
    tools: { "test.tool": { code, entry: { sandbox: "strict" } } },
  });
  const config = okValue(
    readPackServiceConfig(["--index", pack.index], {
      KINDGI_PACK_SERVICE_TOKEN: "token",
    }),
  );
  const prepared = okValue(
    await prepareExecutors(
      okValue(await loadPack(config)),
      config,
      {},
      "info",
    ),
  );
  try {
    await test(prepared.plan.own[0]!.launch, prepared.workFolder);
  } finally {
    await prepared.cleanUp();
  }
}

/** Sends the tool a call and answers its output, or how it was lost. */
function callTool(
  slot: ExecutorSlot,
  { isolated = false }: { isolated?: boolean } = {},
): Promise<unknown> {
  return new Promise((resolve) => {
    const call: SentCall = {
      body: new TextEncoder().encode(JSON.stringify(toolCall("test.tool"))),
      begun: () => {},
      isolated: () => isolated,
      record: () => {},
      answered: ({ message }: CallAnswer) =>
        resolve(JSON.parse(new TextDecoder().decode(message)).output),
      lost: resolve,
    };
    slot.call(call);
  });
}

const SILENT = { stdout: () => {}, stderr: () => {} };

Deno.test("an executor of its own stops when it is idle and starts again on a call", async () => {
  await withLaunch(
    "let calls = 0; export default async () => [Deno.pid, ++calls];",
    async (launch, socketFolder) => {
      const lost: unknown[] = [];
      const slot = new ExecutorSlot({
        launch,
        socketFolder,
        output: SILENT,
        idleMs: 50,
        tell: (event) => lost.push(event),
        record: () => {},
      });
      assertEquals(await slot.start(), []);
      const [first, calls] = await callTool(slot) as [number, number];
      assertEquals(calls, 1);
      await eventually("its end", () => slot.up ? undefined : true);
      assertEquals(slot.everUp, true);
      const [second, again] = await callTool(slot) as [number, number];
      assertEquals([second === first, again], [false, 1]);
      assertEquals(lost, []);
      await slot.stop();
    },
  );
});

Deno.test("an executor that hands a call on to nobody is ended for it", async () => {
  await withLaunch(
    "export default async () => 1;",
    async (launch, socketFolder) => {
      const lost: ExecutorLostEvent["reason"][] = [];
      const [tool] = launch.boot.tools;
      const slot = new ExecutorSlot({
        launch: {
          ...launch,
          boot: {
            ...launch.boot,
            tools: [{ ...tool!, isolated: "tool else" }],
          },
        },
        socketFolder,
        output: SILENT,
        tell: (event) => {
          if (event.kind === "executor-lost") lost.push(event.reason);
        },
        record: () => {},
      });
      assertEquals(await slot.start(), []);
      void callTool(slot);
      await eventually("the loss", () => lost.length > 0 || undefined);
      assertEquals(lost, ["protocol"]);
      await slot.stop();
    },
  );
});
