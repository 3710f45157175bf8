/**
 * Idle memory (sum of PSS, Linux) of the front and one executor beside the bare server, and how much the heap in use
 * grows over 100 000 calls in each of the two processes. `--calls=1000000` makes it so many, and shows each tenth of them.
 *
 * @module
 */

import { parseArgs } from "node:util";
import { runLoad } from "./load_process.ts";
import { pssMiB } from "./process_memory.ts";
import { TOOL } from "./servers/schemas.ts";
import {
  type BenchServer,
  fileOf,
  startScript,
  startServer,
  TOKEN,
} from "./server_process.ts";

const SETTLE_MS = 3_000;
const DEFAULT_CALLS = 100_000;
const SHARES = 10;

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

async function loadCalls(server: BenchServer, calls: number): Promise<void> {
  await runLoad({ server, tool: TOOL, connections: 16, ms: 0, calls });
}

/** Heap in use after a forced collection, in MiB, of the front and of its executor. */
async function heaps(server: BenchServer): Promise<[number, number]> {
  const front = await fetch(`http://127.0.0.1:${server.heapPort}/`);
  const executor = await call(server, "bench.heap") as { heapUsed: number };
  return [(await front.json()).heapUsed / 2 ** 20, executor.heapUsed / 2 ** 20];
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { calls: { type: "string" } } });
  const calls = Number(values.calls ?? DEFAULT_CALLS);
  if (!Number.isSafeInteger(calls) || calls < SHARES) {
    console.error(`--calls takes a whole number of ${SHARES} or more`);
    Deno.exit(2);
  }
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
    const share = Math.ceil(calls / SHARES);
    await loadCalls(service, DEFAULT_CALLS);
    const before = await heaps(service);
    const warmMiB = await pssMiB(service.pid);
    const grown = async () => {
      const now = await heaps(service);
      const [front, executor] = now.map((mib, at) =>
        (mib - before[at]!).toFixed(2)
      );
      return `front ${front} MiB, executor ${executor} MiB`;
    };
    for (let done = 1; done <= SHARES; done++) {
      await loadCalls(service, share);
      if (calls > DEFAULT_CALLS) {
        console.log(`  after ${done * share} calls: ${await grown()}`);
      }
    }
    console.log(`heap growth over ${SHARES * share} calls: ${await grown()}`);
    console.log(
      `PSS before and after:    ${warmMiB.toFixed(1)} MiB, ${
        (await pssMiB(service.pid)).toFixed(1)
      } MiB`,
    );
  } finally {
    await bare.stop();
    await service.stop();
  }
}
