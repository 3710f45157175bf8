/**
 * What the supervisor costs, and whether it keeps its promise.
 *
 * 1. The pack service called directly and through a supervisor, by turns, at 16 connections. Through the supervisor it
 *    should do at least 0.5 of the calls a second, with a p99 of at most 3 times.
 * 2. 1 000 swaps (or SWAPS) of a Python pack service under steady load: no call may fail, get lost or run twice.
 *
 * Rates on a machine with other work vary; the ratio, measured by turns within one run, is what counts.
 *
 * @module
 */

import {
  createPackServiceSupervisor,
  type PackServiceSupervisor,
} from "../pack_service/supervisor/supervisor.ts";
import type { Load } from "./load.ts";
import { runLoad } from "./load_process.ts";
import { median } from "./server_process.ts";

const ROUNDS = 3;
const ROUND_MS = 4_000;
const CONNECTIONS = 16;
const SWAPS = Number(Deno.args[0] ?? 1_000);
const CALLERS = 4;

const path = (relative: string): string =>
  new URL(relative, import.meta.url).pathname;

if (!Number.isSafeInteger(SWAPS) || SWAPS < 1) {
  console.error("SWAPS is a whole number of 1 or more");
  Deno.exit(2);
}

const folder = await Deno.makeTempDir();
try {
  await measureCost();
  await measureSwaps();
} finally {
  await Deno.remove(folder, { recursive: true });
}

async function measureCost(): Promise<void> {
  await Deno.writeTextFile(
    `${folder}/echo.mjs`,
    "export default (input) => ({ echoed: input.message });\n",
  );
  const index = await writeIndex("bench", {
    tools: [{
      id: "bench.echo",
      input: schemaOf("message"),
      output: schemaOf("echoed"),
      effects: [],
      modulePath: "echo.mjs",
    }],
  });
  const supervisor = supervise([
    ...[Deno.execPath(), "run", "-A", path("../pack_service/main.ts")],
  ]);
  const { port } = await supervisor.listen();
  const child = await start(supervisor, index);
  const direct: Load[] = [];
  const through: Load[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    direct.push(await load(child, supervisor.token));
    through.push(await load(port, supervisor.token));
  }
  await supervisor.close();

  const rows: [string, (load: Load) => number][] = [
    ["calls/s", (load) => load.callsPerSecond],
    ["p50 ms", (load) => load.p50],
    ["p99 ms", (load) => load.p99],
  ];
  console.log(`${CONNECTIONS} connections   direct   supervisor   ratio`);
  for (const [name, value] of rows) {
    const [a, b] = [median(direct.map(value)), median(through.map(value))];
    const digits = name === "calls/s" ? 0 : 2;
    console.log(
      name.padEnd(14),
      a.toFixed(digits).padStart(8),
      b.toFixed(digits).padStart(12),
      (b / a).toFixed(2).padStart(7),
    );
  }
}

async function measureSwaps(): Promise<void> {
  const journal = `${folder}/journal`;
  const supervisor = supervise([
    ...["python3", path("../tests/fixtures/python_pack/service.py")],
  ]);
  const { url } = await supervisor.listen();
  await start(supervisor, await writeIndex("0", { journal }));
  let swapping = true;
  let sent = 0;
  let failed = 0;
  const caller = async (): Promise<void> => {
    while (swapping) {
      const id = sent++;
      const response = await fetch(`${url}/v1/invoke`, {
        method: "POST",
        headers: { "kindgi-pack-token": supervisor.token },
        body: JSON.stringify({
          v: 2,
          kind: "invoke",
          tool: { id: "demo.echo" },
          input: { id },
          ctx: { tenantId: "t-1", runId: "run-1" },
        }),
      });
      const answer = await response.json();
      if (response.status !== 200 || answer.output.input.id !== id) failed++;
      // Steady, not flat out: the children have to boot beside it.
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  };
  const callers = Promise.all(Array.from({ length: CALLERS }, caller));
  const from = performance.now();
  for (let swap = 1; swap <= SWAPS; swap++) {
    await start(supervisor, await writeIndex(String(swap), { journal }));
  }
  const seconds = (performance.now() - from) / 1_000;
  swapping = false;
  await callers;
  await supervisor.close();

  const ran = (await Deno.readTextFile(journal)).trimEnd().split("\n");
  const distinct = new Set(ran).size;
  console.log(
    `\n${SWAPS} swaps in ${seconds.toFixed(0)} s under ${sent} calls: ` +
      `${failed} failed, ${sent - distinct} lost, ${
        ran.length - distinct
      } doubled`,
  );
  if (failed + (sent - distinct) + (ran.length - distinct) > 0) Deno.exit(1);
}

function supervise(command: readonly string[]): PackServiceSupervisor {
  return createPackServiceSupervisor({
    command,
    moduleRoot: folder,
    env: () => ({
      PATH: Deno.env.get("PATH"),
      HOME: Deno.env.get("HOME"),
      DENO_DIR: Deno.env.get("DENO_DIR"),
      KINDGI_LOG_LEVEL: "warn",
    }),
    onLog: (line) => console.error(line),
  });
}

async function start(
  supervisor: PackServiceSupervisor,
  index: string,
): Promise<number> {
  const started = await supervisor.start(index);
  if (started.kind === "ok") return started.value.port;
  throw new Error(started.error.problems.join("; "));
}

function load(port: number, token: string): Promise<Load> {
  return runLoad({
    ...{ server: { port }, token, connections: CONNECTIONS },
    tool: "bench.echo",
    ms: ROUND_MS,
  });
}

async function writeIndex(version: string, extra: object): Promise<string> {
  const file = `${folder}/index-${version}.json`;
  await Deno.writeTextFile(
    file,
    JSON.stringify({
      v: 1,
      packId: "bench",
      packVersion: version,
      artifactVersion: version,
      publishedAt: "2026-01-01T00:00:00.000Z",
      ...{ tools: [], guardrails: [], agents: [], flows: [] },
      ...extra,
    }),
  );
  return file;
}

function schemaOf(name: string): object {
  return {
    type: "object",
    properties: { [name]: { type: "string" } },
    required: [name],
    additionalProperties: false,
  };
}
