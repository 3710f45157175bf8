/** How executors are lost and replaced (`spec/executors.md`, Deadlines). */

import {
  assert,
  assertEquals,
  assertObjectMatch,
  assertStringIncludes,
} from "../assert.ts";
import type { Answer, Caller, ErrorMessage } from "./support/caller.ts";
import { errorOf, messageOf } from "./support/caller.ts";
import { eventually } from "./support/eventually.ts";
import { untilText } from "./support/output.ts";
import { childrenOf, isAlive } from "./support/processes.ts";
import { ServiceProcess } from "./support/service_process.ts";
import { TempPack } from "./support/temp_pack.ts";

/** Tools that end their executor in every way, and some that don't. */
const TOOLS = {
  "test.echo": "export default async (input) => input;",
  "test.pid": "export default async () => Deno.pid;",
  "test.hold": `export default async (input, ctx) => {
    ctx.log.info("holding", input);
    await new Promise(() => {});
  };`,
  "test.spin": `export default async (input) => {
    console.error("spinning", JSON.stringify(input));
    for (;;);
  };`,
  "test.exit": "export default async () => Deno.exit(7);",
  // The pack finds the channel's prototype and writes rubbish where an answer should be.
  "test.garble": `export default async () => {
    const path = Deno.makeTempDirSync() + "/s";
    const listener = Deno.listen({ transport: "unix", path });
    const connection = await Deno.connect({ transport: "unix", path });
    const prototype = Object.getPrototypeOf(Object.getPrototypeOf(connection));
    const { write } = prototype;
    listener.close();
    connection.close();
    Deno.removeSync(path.slice(0, -2), { recursive: true });
    prototype.write = function (bytes) {
      return write.call(this, bytes.fill(0xff));
    };
  };`,
};

function assertLost(answer: Answer, toolId: string, reason: string): void {
  const error: ErrorMessage = errorOf(answer);
  assertObjectMatch(error, {
    code: "handler-throw",
    toolId,
    cause: { name: "ExecutorLost", reason },
  });
  assertStringIncludes(error.message, "may have run");
}

/** Calls a tool once the service is ready, and not before. */
async function whenReady(
  caller: Caller,
  id: string,
  input?: unknown,
): Promise<Answer> {
  await eventually(
    "ready",
    async () => (await caller.get("/readyz")).status === 200 || undefined,
  );
  return await caller.invoke(id, input);
}

const within = (ms: number) => ({ headers: { "kindgi-timeout-ms": `${ms}` } });

Deno.test("executors that are lost are replaced, and calls learn what became of them", async (t) => {
  await using pack = await TempPack.write({ tools: TOOLS });
  await using service = await ServiceProcess.start({ index: pack.index });
  const { caller } = service;
  const lost = () => service.records("executor-lost");

  await t.step(
    "a tool that spins past its deadline is answered then; its executor is killed later",
    async () => {
      const held = caller.invoke("test.hold");
      await untilText(service, "holding");
      const spun = caller.invoke("test.spin", {}, within(3_500));
      await untilText(service, "spinning");
      const waiting = caller.invoke("test.echo", { survived: true });
      const hurried = caller.invoke("test.echo", {}, within(300));

      for (const path of ["/healthz", "/readyz", "/v1/info"]) {
        assertEquals((await caller.get(path)).status, 200, path);
      }
      // A call that hasn't begun is answered at its deadline too, and is no reason to kill.
      assertEquals(errorOf(await hurried).code, "deadline-exceeded");
      assertEquals(errorOf(await hurried).toolId, undefined);
      const spin = errorOf(await spun);
      assertObjectMatch(spin, {
        code: "deadline-exceeded",
        toolId: "test.spin",
      });
      assertEquals(lost().length, 0, "neither call was a reason to kill yet");
      const blocked = await service.untilRecord("executor-blocked", {
        executor: "shared",
      });
      assert(Number(blocked.waiting) >= 1);

      assertLost(await held, "test.hold", "killed");
      assertEquals(messageOf(await waiting, "result").output, {
        survived: true,
      });
      assertObjectMatch(lost()[0], {
        level: "error",
        executor: "shared",
        reason: "killed",
        signal: "SIGKILL",
        calls: 2,
      });
      assertEquals(lost().length, 1);
    },
  );

  await t.step(
    "a caller who hangs up on a spinning tool frees its slot, and the executor is killed too",
    async () => {
      const hangUp = new AbortController();
      const gone = caller.invoke("test.spin", { again: true }, {
        signal: hangUp.signal,
      }).catch((error: Error) => error.name);
      await untilText(service, '"again":true');
      hangUp.abort();
      assertEquals(await gone, "AbortError");
      await service.untilRecord("call", {
        toolId: "test.spin",
        outcome: "cancelled",
      });
      await eventually("the loss", () => lost().length === 2 || undefined);
      assertObjectMatch(lost()[1], { reason: "killed", calls: 1 });
    },
  );

  await t.step(
    "a tool that exits is lost with its code, and the service isn't ready meanwhile",
    async () => {
      assertLost(
        await whenReady(caller, "test.exit"),
        "test.exit",
        "exited",
      );
      const { status, headers, body } = await caller.get("/readyz");
      assertEquals([status, body], [503, { error: "not ready" }]);
      assertEquals(headers.get("retry-after"), "1");
      assertEquals((await caller.invoke("test.echo")).status, 503);
      assertEquals((await caller.get("/healthz")).status, 200);
      assertObjectMatch(lost()[2], { reason: "exited", exitCode: 7, calls: 1 });
      const echo = await whenReady(caller, "test.echo", { back: 1 });
      assertEquals(messageOf(echo, "result").output, { back: 1 });
    },
  );

  await t.step("what isn't a frame ends an executor", async () => {
    assertLost(
      await whenReady(caller, "test.garble"),
      "test.garble",
      "protocol",
    );
    assertObjectMatch(lost()[3], { reason: "protocol" });
  });

  await t.step(
    "one that is killed or crashes from outside is told apart",
    async () => {
      for (
        const [signal, reason] of [
          ["SIGKILL", "killed"],
          ["SIGABRT", "crashed"],
        ] as const
      ) {
        const { output } = messageOf(
          await whenReady(caller, "test.pid"),
          "result",
        );
        const held = caller.invoke("test.hold", { outside: signal });
        await untilText(service, `"outside":"${signal}"`);
        Deno.kill(output as number, signal);
        assertLost(await held, "test.hold", reason);
      }
    },
  );

  await t.step(
    "waits between replacements grow while no call is answered",
    async () => {
      const waits: number[] = [];
      for (let turn = 0; turn < 4; turn++) {
        const before = lost().length;
        await whenReady(caller, "test.exit");
        const from = performance.now();
        assertEquals(lost().length, before + 1);
        await eventually(
          "ready again",
          async () => (await caller.get("/readyz")).status === 200 || undefined,
        );
        waits.push(performance.now() - from);
      }
      // Timers are never early, and whatever else took time only adds to it.
      assert(waits[3]! > 700, Deno.inspect(waits));
    },
  );

  assertEquals(await service.stop(), 0);
});

Deno.test("with two shared executors one answers while the other spins, and takes over its calls", async () => {
  await using pack = await TempPack.write({ tools: TOOLS });
  await using service = await ServiceProcess.start({
    index: pack.index,
    env: { KINDGI_PACK_EXECUTORS: "2" },
  });
  const { caller } = service;
  const pids = new Set<unknown>();
  for (let call = 0; call < 4; call++) {
    pids.add(await caller.output("test.pid"));
  }
  assertEquals(pids.size, 2);

  const spun = caller.invoke("test.spin", {}, within(1_500));
  await untilText(service, "spinning");
  const echoes = await Promise.all(
    Array.from({ length: 12 }, (_, n) => caller.output("test.echo", { n })),
  );
  assertEquals(echoes, Array.from({ length: 12 }, (_, n) => ({ n })));
  assertEquals(errorOf(await spun).code, "deadline-exceeded");
  await service.untilRecord("executor-lost", { executor: "shared" });
  assertEquals((await caller.get("/readyz")).status, 200);
  assertEquals(await caller.output("test.echo", { n: 1 }), { n: 1 });
});

Deno.test("a front that is killed leaves no executor behind, not even one that spins", async () => {
  await using pack = await TempPack.write({
    tools: {
      ...TOOLS,
      "test.alone": {
        code: TOOLS["test.echo"],
        entry: { sandbox: "strict" },
      },
    },
  });
  await using service = await ServiceProcess.start({ index: pack.index });
  const executors = await childrenOf(service.pid);
  assertEquals(executors.length, 2);
  const spun = service.caller.invoke("test.spin").catch(() => undefined);
  await untilText(service, "spinning");
  service.signal("SIGKILL");
  await service.ended();
  await spun;
  for (const pid of executors) {
    await eventually(
      `the end of executor ${pid}`,
      async () => await isAlive(pid) ? undefined : true,
    );
  }
});

Deno.test("an executor that ends while it boots fails the boot with what it said last", async () => {
  await using pack = await TempPack.write({
    tools: {
      "test.quits": `console.error("no database here"); Deno.exit(3);`,
    },
  });
  const { code, records } = await ServiceProcess.run({ index: pack.index });
  assertEquals(code, 1);
  const [problem] = records.find(({ event }) => event === "boot-failed")!
    .problems as string[];
  assertStringIncludes(problem!, "executor shared ended before it was ready");
  assertStringIncludes(problem!, "no database here");
});
