/**
 * Calls per second and latency of the pack service beside a bare `Deno.serve` doing the same validations, `node:http` on
 * Node, and the service in process. Medians of five interleaved rounds.
 *
 * @module
 */

import { TOOL } from "./servers/schemas.ts";
import {
  type BenchServer,
  fileOf,
  median,
  startScript,
  startServer,
  startService,
} from "./server_process.ts";
import type { Load } from "./load.ts";
import { runLoad } from "./load_process.ts";

const ROUNDS = 5;
const CONNECTIONS = [1, 16, 64];
const MEASURE_MS = 1_500;

function load(server: BenchServer, connections: number): Promise<Load> {
  return runLoad({ server, connections, tool: TOOL, ms: MEASURE_MS });
}

async function startNode(): Promise<BenchServer> {
  const bundle = await Deno.makeTempFile({ suffix: ".mjs" });
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "bundle",
      "--quiet",
      "--output",
      bundle,
      fileOf("bench/servers/node_http.ts"),
    ],
  }).output();
  if (code !== 0) throw new Error(new TextDecoder().decode(stderr));
  const server = await startServer([bundle], {}, "node");
  await Deno.remove(bundle);
  return server;
}

if (import.meta.main) {
  const servers: Record<string, BenchServer> = {
    "bare Deno.serve": await startScript("bare.ts"),
    "pack service": await startService(),
    "pack service, level info": await startService({
      KINDGI_LOG_LEVEL: "info",
    }),
    "in process (handle)": await startScript("in_process.ts"),
    "node:http on Node": await startNode(),
  };
  try {
    for (const connections of CONNECTIONS) {
      const results: Record<string, Load[]> = {};
      for (let round = 0; round < ROUNDS; round++) {
        for (const [name, server] of Object.entries(servers)) {
          (results[name] ??= []).push(await load(server, connections));
        }
      }
      const bare = results["bare Deno.serve"] ?? [];
      console.log(`\n${connections} connection${connections > 1 ? "s" : ""}`);
      console.log(
        "                            calls/s   ×bare   p50 ms   p99 ms",
      );
      for (const [name, loads] of Object.entries(results)) {
        const of = (read: (load: Load) => number) => median(loads.map(read));
        const ratio = median(
          loads.map((one, round) =>
            one.callsPerSecond / (bare[round]?.callsPerSecond ?? NaN)
          ),
        );
        console.log(
          name.padEnd(26) +
            of((one) => one.callsPerSecond).toFixed(0).padStart(9) +
            ratio.toFixed(2).padStart(8) +
            of((one) => one.p50).toFixed(2).padStart(9) +
            of((one) => one.p99).toFixed(2).padStart(9),
        );
      }
    }
  } finally {
    for (const server of Object.values(servers)) await server.stop();
  }
}
