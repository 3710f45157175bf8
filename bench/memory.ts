/**
 * Idle memory (sum of PSS, Linux) of the front and one executor beside the bare server, and how much the heap in use
 * grows over 100 000 calls in each of the two processes.
 *
 * @module
 */

import { TOOL } from "./servers/schemas.ts";
import {
  type BenchServer,
  fileOf,
  startScript,
  startServer,
  TOKEN,
} from "./server_process.ts";

const SETTLE_MS = 3_000;
const CALLS = 100_000;

/** A process and all that it started. */
async function tree(pid: number): Promise<number[]> {
  const pids = [pid];
  for await (const task of Deno.readDir(`/proc/${pid}/task`)) {
    const path = `/proc/${pid}/task/${task.name}/children`;
    for (const child of (await Deno.readTextFile(path)).split(" ")) {
      if (child !== "") pids.push(...await tree(Number(child)));
    }
  }
  return pids;
}

async function pssMiB(pid: number): Promise<number> {
  let total = 0;
  for (const one of await tree(pid)) {
    const text = await Deno.readTextFile(`/proc/${one}/smaps_rollup`);
    total += Number(/^Pss:\s+(\d+)/m.exec(text)?.[1]);
  }
  return total / 1024;
}

async function call(server: BenchServer, tool: string): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${server.port}/v1/invoke`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "kindgi-pack-token": TOKEN,
    },
    body: JSON.stringify({
      v: 2,
      kind: "invoke",
      tool: { id: tool },
      input: { message: "hello" },
      ctx: { tenantId: "t-1", runId: "run-1" },
    }),
  });
  return (await response.json()).output;
}

async function loadCalls(server: BenchServer): Promise<void> {
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      fileOf("bench/load.ts"),
      String(server.port),
      TOKEN,
      TOOL,
      "16",
      "0",
      String(CALLS),
    ],
  }).output();
  if (code !== 0) throw new Error(new TextDecoder().decode(stderr));
}

/** Heap in use after a forced collection, in MiB, of the front and of its executor. */
async function heaps(server: BenchServer): Promise<[number, number]> {
  const front = await fetch(`http://127.0.0.1:${server.heapPort}/`);
  const executor = await call(server, "bench.heap") as { heapUsed: number };
  return [(await front.json()).heapUsed / 2 ** 20, executor.heapUsed / 2 ** 20];
}

if (import.meta.main) {
  const bare = await startScript("bare.ts");
  const service = await startServer([
    "run",
    "-A",
    "--v8-flags=--expose-gc",
    fileOf("bench/servers/heap_front.ts"),
  ]);
  try {
    await call(bare, TOOL);
    await call(service, TOOL);
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    const [bareMiB, serviceMiB] = [
      await pssMiB(bare.pid),
      await pssMiB(service.pid),
    ];
    console.log(`bare server with Ajv     ${bareMiB.toFixed(1)} MiB PSS`);
    console.log(`front and one executor   ${serviceMiB.toFixed(1)} MiB PSS`);
    console.log(
      `ratio                    ${(serviceMiB / bareMiB).toFixed(2)}`,
    );
    await loadCalls(service);
    const before = await heaps(service);
    await loadCalls(service);
    const after = await heaps(service);
    const growth = after.map((mib, at) => (mib - (before[at] ?? NaN)));
    console.log(
      `heap growth over ${CALLS} calls: front ${
        growth[0]?.toFixed(2)
      } MiB, executor ${growth[1]?.toFixed(2)} MiB`,
    );
  } finally {
    await bare.stop();
    await service.stop();
  }
}
