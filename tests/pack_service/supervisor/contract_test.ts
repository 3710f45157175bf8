/** What holds for a pack service in any language: the same tests on ours and on a foreign one. */

import {
  assert,
  assertEquals,
  assertRejects,
  errValue,
  okValue,
} from "../../assert.ts";
import { OWN_PACK, PYTHON_PACK } from "./packs.ts";
import { isRunning, outputOf, withSupervisor } from "./support.ts";

for (const pack of [PYTHON_PACK, OWN_PACK]) {
  Deno.test(`[98] a start on new code keeps the URL; the old process is gone once it resolves (${pack.name})`, async () => {
    await withSupervisor(
      {},
      async ({ url, supervisor, events, call, index }) => {
        const first = okValue(await supervisor.start(await index("1.0.0")));
        const old = outputOf(await call("demo.echo"));
        assertEquals(old.version, "1.0.0");

        const path = await index("2.0.0");
        const second = okValue(await supervisor.start(path));
        assertEquals((await supervisor.listen()).url, url);
        assert(!await isRunning(old.pid as number));
        const now = outputOf(await call("demo.echo"));
        assertEquals(now.version, "2.0.0");
        assert(now.pid !== old.pid && second.port !== first.port);
        assertEquals(
          events.lifecycle.map(({ kind }) => kind),
          ["started", "started"],
        );
        assertEquals(events.lifecycle[1], {
          kind: "started",
          port: second.port,
          indexPath: path,
        });
      },
      pack,
    );
  });

  Deno.test(`[99] a call that runs during a swap is answered by the old code while new calls reach the new (${pack.name})`, async () => {
    await withSupervisor({}, async (bench) => {
      const { folder, supervisor, events, call, index } = bench;
      okValue(await supervisor.start(await index("1.0.0")));
      const until = `${folder}/go-on`;
      const running = call("demo.wait", { until });
      await begun(call);
      const starting = supervisor.start(await index("2.0.0"));
      await events.count("started", 2);
      assertEquals(outputOf(await call("demo.echo")).version, "2.0.0");
      await Deno.writeTextFile(until, "");
      assertEquals(outputOf(await running).version, "1.0.0");
      okValue(await starting);
    }, pack);
  });

  Deno.test(`[100] a child that fails to boot leaves the old one serving (${pack.name})`, async () => {
    await withSupervisor({}, async ({ supervisor, events, call, index }) => {
      okValue(await supervisor.start(await index("1.0.0")));
      const { pid } = outputOf(await call("demo.echo"));
      const broken = await index("2.0.0", { broken: "demo.echo" });
      const { problems } = errValue(await supervisor.start(broken));
      assert(problems.some((problem) => problem.includes("demo.echo")));
      assertEquals(events.lifecycle.at(-1), { kind: "boot-failed", problems });
      const after = outputOf(await call("demo.echo"));
      assertEquals([after.version, after.pid], ["1.0.0", pid]);
    }, pack);
  });

  Deno.test(`[108] [trap 36] a caller that hangs up cancels the call in the child, and stopping right after is quick (${pack.name})`, async () => {
    await withSupervisor({}, async (bench) => {
      const { supervisor, events, call, index } = bench;
      okValue(await supervisor.start(await index("1.0.0")));
      const caller = new AbortController();
      const running = call("demo.wait", { ms: 60_000 }, {
        signal: caller.signal,
      });
      await call("demo.wait", { ms: 100 });
      caller.abort();
      await assertRejects(() => running);
      await events.until((log) =>
        log.records("call").some(({ outcome }) => outcome === "cancelled")
      );
      // The drain would wait a minute for the call if it still ran.
      await supervisor.stop();
      assertEquals(events.records("stopped").length, 1);
    }, pack);
  });

  Deno.test(`[109] the caller's trace context reaches the child (${pack.name})`, async () => {
    await withSupervisor({}, async ({ supervisor, events, call, index }) => {
      okValue(await supervisor.start(await index("1.0.0")));
      const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
      const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
      assertEquals(
        (await call("demo.echo", {}, { headers: { traceparent } })).status,
        200,
      );
      await events.until((log) => log.records("call").length > 0);
      assertEquals(events.records("call")[0]?.traceId, traceId);
    }, pack);
  });
}

Deno.test("a pack can move from a service in one language to one in another and back", async () => {
  let pack = PYTHON_PACK;
  const either = { command: () => pack.command, env: () => pack.env };
  await withSupervisor(either, async ({ folder, supervisor, call }) => {
    for (const version of ["1", "2", "3", "4"]) {
      pack = pack === PYTHON_PACK ? OWN_PACK : PYTHON_PACK;
      const index = await pack.writeIndex(folder, version);
      okValue(await supervisor.start(index));
      assertEquals(outputOf(await call("demo.echo")).version, version);
    }
  });
});

Deno.test("[105] pack code behind our service sees what env() gives, and never the token", async () => {
  const given = {
    PATH: Deno.env.get("PATH"),
    HOME: Deno.env.get("HOME"),
    X: "1",
  };
  const names = async (
    env: Readonly<Record<string, string | undefined>>,
  ): Promise<unknown> => {
    let seen: unknown;
    await withSupervisor(
      { env: () => env },
      async ({ supervisor, call, index }) => {
        okValue(await supervisor.start(await index("1.0.0")));
        seen = outputOf(await call("demo.echo")).env;
      },
      OWN_PACK,
    );
    return seen;
  };
  const always = ["HOME", "KINDGI_LOG_FORMAT", "PATH", "PORT"];
  assertEquals(await names(given), always);
  assertEquals(
    await names({ ...given, KINDGI_PACK_ENV_FILTER: "off" }),
    [...always, "KINDGI_PACK_ENV_FILTER", "X"].sort(),
  );
});

/** A call after which an earlier one on another connection has reached the child too. */
async function begun(
  call: (tool: string, input: unknown) => Promise<unknown>,
): Promise<void> {
  await call("demo.wait", { ms: 100 });
}
