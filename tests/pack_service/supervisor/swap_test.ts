import type { RelayOutcome } from "../../../pack_service/supervisor/relay.ts";
import { assert, assertEquals, errValue, okValue } from "../../assert.ts";
import { callTool, isRunning, outputOf, withSupervisor } from "./support.ts";
import { PYTHON_COMMAND } from "./packs.ts";

Deno.test("a newer start supersedes those that haven't booted, and they leave no process", async () => {
  const pids: number[] = [];
  const watched = {
    command: ["sh", "-c", 'echo "pid $$"; exec "$@"', "sh", ...PYTHON_COMMAND],
    onLog: (line: string) => {
      const pid = /^pid (\d+)$/.exec(line)?.[1];
      if (pid !== undefined) pids.push(Number(pid));
    },
  };
  await withSupervisor(watched, async (bench) => {
    const { supervisor, events, call, index } = bench;
    const silent = await index("0.0.1", { silent: true });
    const newer = await index("3.0.0");
    const first = supervisor.start(silent);
    while (pids.length === 0) await new Promise((go) => setTimeout(go, 5));
    const second = supervisor.start(silent);
    const third = supervisor.start(newer);
    assertEquals(errValue(await first).problems, ["superseded"]);
    assertEquals(errValue(await second).problems, ["superseded"]);
    okValue(await third);
    assertEquals(outputOf(await call("demo.echo")).version, "3.0.0");
    assertEquals(events.lifecycle.map(({ kind }) => kind), ["started"]);
    // The second never ran; the first one's process is gone.
    assertEquals(pids.length, 2);
    assert(!await isRunning(pids[0]!));
  });
});

Deno.test("a hundred swaps under steady load lose no call, fail none and double none", async () => {
  await withSupervisor({}, async (bench) => {
    const { folder, url, supervisor, index } = bench;
    const journal = `${folder}/journal`;
    okValue(await supervisor.start(await index("0", { journal })));
    let swapping = true;
    let next = 0;
    const answered: string[] = [];
    const versions = new Set<unknown>();
    const caller = async (): Promise<void> => {
      while (swapping) {
        const id = String(next++);
        const answer = await callTool(url, supervisor.token, "demo.echo", {
          id,
        });
        const output = outputOf(answer);
        assertEquals(output.input, { id });
        answered.push(id);
        versions.add(output.version);
        // Steady, not flat out: the children have to boot beside it.
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    };
    const callers = Promise.all(Array.from({ length: 4 }, caller));
    for (let swap = 1; swap <= 100; swap++) {
      const path = await index(String(swap), { journal });
      okValue(await supervisor.start(path));
      await Deno.remove(path);
    }
    swapping = false;
    await callers;
    assertEquals(answered.length, next);
    const ran = (await Deno.readTextFile(journal)).trimEnd().split("\n");
    assertEquals(ran.length, next, "calls ran more or less than once");
    assertEquals(new Set(ran).size, next);
    assert(versions.size > 50, "the load didn't span the swaps");
  });
});

Deno.test("the relay carries calls for a listener other than the front", async () => {
  await withSupervisor({}, async ({ supervisor, index }) => {
    const { relay } = supervisor;
    assert(!relay.serving());
    assertEquals(await relay.forward({ route: "info" }), {
      kind: "unavailable",
      reason: "no pack service",
    });
    okValue(await supervisor.start(await index("1.0.0")));
    assert(relay.serving());
    const body = JSON.stringify({
      v: 2,
      kind: "invoke",
      tool: { id: "demo.echo" },
      input: { a: 1 },
      ctx: { tenantId: "t", runId: "r" },
    });
    const outcome = await relay.forward({ route: "invoke", body, runId: "r" });
    assertEquals(outcome.kind, "answer");
    assertEquals(
      (outcome as RelayOutcome & { kind: "answer" }).headers,
      {
        "content-type": "application/json",
        "kindgi-artifact-version": "1.0.0",
        "kindgi-duration-ms": "0",
      },
    );
  });
});
