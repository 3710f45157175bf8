/** What pack code prints, and what it throws outside of calls (`spec/executors.md`, Streams). */

import { assert, assertEquals, assertObjectMatch } from "../assert.ts";
import { untilText } from "./support/output.ts";
import { ServiceProcess } from "./support/service_process.ts";
import { TempPack } from "./support/temp_pack.ts";
import { HAS_EXECUTORS } from "./support/service_command.ts";

const TOOLS = {
  "test.print": `
    import { writeSync } from "node:fs";
    import process from "node:process";
    console.log("module on stdout");
    console.error("module on stderr");
    export default async ({ stream, text, bytes }) => {
      const data = bytes ? Uint8Array.from(bytes) : new TextEncoder().encode(text);
      process[stream].write(data);
      return "printed";
    };`,
  "test.quit": `
    import process from "node:process";
    export default async ({ stream, text }) => {
      process[stream].write(text);
      Deno.exit(0);
    };`,
  "test.reject": `export default async () => {
    Promise.reject(new RangeError("left alone"));
    return "rejected";
  };`,
  "test.throw": `export default async () => {
    setTimeout(() => { throw new TypeError("thrown later"); }, 0);
    await new Promise((resolve) => setTimeout(resolve, 20));
    return "threw";
  };`,
  "test.odd": `export default async () => {
    Promise.reject({ token: "hidden", why: "odd" });
    return "rejected";
  };`,
  "test.pid": "export default async () => Deno.pid;",
};

Deno.test(
  "what pack code prints and throws passes through the front, and can't be taken for its records",
  { ignore: !HAS_EXECUTORS },
  async (t) => {
    await using pack = await TempPack.write({ tools: TOOLS });
    await using service = await ServiceProcess.start({ index: pack.index });
    const { caller } = service;
    const print = (stream: string, text: string) =>
      caller.output("test.print", { stream, text });

    await t.step("both streams go where they belong", async () => {
      assert(service.stdout().includes("module on stdout\n"));
      assert(!service.stderr().includes("module on stdout"));
      assert(service.stderr().includes("module on stderr\n"));
      for (const stream of ["stdout", "stderr"] as const) {
        await print(stream, `grüße to ${stream}\n`);
        await untilText(service, `grüße to ${stream}\n`, stream);
      }
    });

    await t.step("a line that is written by halves is one line", async () => {
      const [start, end] = [[0x3c, 0xc3], [0xbc, 0x3e, 0x0a]];
      await caller.output("test.print", { stream: "stderr", bytes: start });
      await caller.output("test.print", { stream: "stderr", bytes: end });
      await untilText(service, "\n<ü>\n");
    });

    await t.step(
      "a line that poses as a record of the service loses its subsystem",
      async () => {
        const pose = (name: string) =>
          `${JSON.stringify({ subsystem: "pack", event: "stopped", name })}\n`;
        for (const stream of ["stderr", "stdout"] as const) {
          await print(stream, pose(stream));
          await untilText(
            service,
            `\n${JSON.stringify({ event: "stopped", name: stream })}\n`,
            stream,
          );
        }
        assertEquals(service.records("stopped"), []);
      },
    );

    const pid = await caller.output("test.pid");
    await t.step(
      "a rejection that nothing handles is a record with its stack",
      async () => {
        assertEquals(await caller.output("test.reject"), "rejected");
        const record = await service.untilRecord("pack-unhandled", {
          origin: "unhandledrejection",
        });
        assertObjectMatch(record, {
          level: "error",
          subsystem: "pack",
          packId: "temp",
          executor: "shared",
          cause: { name: "RangeError", message: "left alone" },
        });
        const { stack } = record.cause as { stack: string };
        assert(stack.includes("test.reject.mjs"), stack);
      },
    );

    await t.step(
      "so is an error that is thrown outside of a call",
      async () => {
        assertEquals(await caller.output("test.throw"), "threw");
        const record = await service.untilRecord("pack-unhandled", {
          origin: "error",
        });
        assertObjectMatch(record, {
          cause: { name: "TypeError", message: "thrown later" },
        });
      },
    );

    await t.step("and what is no error, its secrets masked", async () => {
      assertEquals(await caller.output("test.odd"), "rejected");
      await untilText(service, '"why":"odd"');
      assert(!service.stderr().includes("hidden"));
    });

    await t.step("the executor goes on", async () => {
      assertEquals(await caller.output("test.pid"), pid);
      assertEquals(service.records("executor-lost"), []);
    });

    await t.step(
      "a line that is open when its executor ends is ended",
      async () => {
        await caller.error("test.quit", {
          stream: "stderr",
          text: "last words",
        });
        await service.untilRecord("executor-lost");
        assert(service.stderr().includes("\nlast words\n"), service.stderr());
      },
    );
  },
);
