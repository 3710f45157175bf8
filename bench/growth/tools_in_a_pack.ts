/**
 * What a pack costs that has many tools: indexing it, starting its service, holding it, calling one of its tools.
 *
 * @module
 */

import { join } from "node:path";
import { runLoad } from "../load_process.ts";
import { pssMiB } from "../process_memory.ts";
import { fileOf, median, startServer } from "../server_process.ts";
import { growthTable, type SizeCosts } from "./growth_table.ts";

const SIZES = [10, 100, 1_000, 10_000];
const LOADS = 3;
const LOAD_MS = 1_000;

const tool = (at: number) =>
  `export default { id: "bench.t${at}", version: "1.0.0", description: "Tool ${at}",
  input: { type: "object", properties: { message: { type: "string", minLength: ${
    1 + at % 2
  } } },
    required: ["message"], additionalProperties: false },
  output: { type: "object", properties: { echoed: { type: "string" } }, required: ["echoed"] },
  handler: ({ message }) => ({ echoed: message }) };\n`;

async function writePack(folder: string, size: number): Promise<void> {
  await Deno.mkdir(join(folder, "tools"), { recursive: true });
  await Deno.writeTextFile(
    join(folder, "kindgi.config.mjs"),
    `export default { pack: { id: "bench", version: "1.0.0" } };\n`,
  );
  for (let at = 0; at < size; at++) {
    await Deno.writeTextFile(join(folder, "tools", `t${at}.mjs`), tool(at));
  }
}

/** Indexes a pack and answers how many milliseconds that took, the process's start included. */
async function index(folder: string): Promise<number> {
  const begun = performance.now();
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", fileOf("indexer/main.ts"), "--pack-dir", folder],
  }).output();
  if (code !== 0) throw new Error(new TextDecoder().decode(stderr));
  return performance.now() - begun;
}

function start(folder: string) {
  return startServer([
    "run",
    "-A",
    fileOf("pack_service/main.ts"),
    ...["--host", "127.0.0.1", "--index", join(folder, "index.json")],
  ]);
}

async function costsOf(size: number): Promise<SizeCosts> {
  const folder = await Deno.makeTempDir({ prefix: "kindgi-bench-" });
  try {
    await writePack(folder, size);
    const indexMs = await index(folder);
    await (await start(folder)).stop(); // what a first start has to prepare isn't counted
    const server = await start(folder);
    try {
      const p50s: number[] = [];
      for (let load = 0; load < LOADS; load++) {
        const { p50 } = await runLoad({
          server,
          tool: `bench.t${size >> 1}`,
          connections: 1,
          ms: LOAD_MS,
        });
        p50s.push(p50 * 1_000);
      }
      return {
        size,
        costs: {
          "index, ms": indexMs,
          "start, ms": server.startedInMs,
          "memory, MiB": await pssMiB(server.pid),
          "a call (p50), µs": median(p50s),
        },
      };
    } finally {
      await server.stop();
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Measures it and answers the table. */
export async function toolsInAPack(
  report: (progress: string) => void,
): Promise<string[]> {
  const rows: SizeCosts[] = [];
  for (const size of SIZES) {
    report(`${size} tools`);
    rows.push(await costsOf(size));
  }
  return growthTable("tools", rows);
}
