/**
 * What indexing costs, as ratios of what it can't avoid.
 *
 * @module
 */

import { join } from "node:path";
import process from "node:process";
import { canonicalJson } from "../base/canonical_json.ts";
import type { CollectedPack } from "../indexer/collect.ts";
import { indexDocument } from "../indexer/index_document.ts";
import { JSON_TOOL, writePack, ZOD_TOOL } from "./indexer/packs.ts";
import { partMs, type PartOptions } from "./indexer/part_process.ts";

const FILES = 1_000;
const ROUNDS = 7;

/** A ratio and what it may be at most. */
interface Target {
  readonly name: string;
  readonly ratio: number;
  readonly limit: number;
  readonly note: string;
}

/** What indexing takes over another part: the median over some rounds, in each of which they ran one after the other. */
async function ratioTo(
  base: PartOptions["part"],
  folder: string,
): Promise<{ ratio: number; note: string }> {
  const pack = { folder, size: FILES };
  const rounds: { ratio: number; note: string }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const under = await partMs({ part: base, ...pack });
    const over = await partMs({ part: "index", ...pack });
    const note = `${over.toFixed(0)} ms / ${under.toFixed(0)} ms`;
    rounds.push({ ratio: over / under, note });
  }
  rounds.sort((a, b) => a.ratio - b.ratio);
  return rounds[Math.floor(ROUNDS / 2)]!;
}

/** Milliseconds to make and write out an index of so many entries that were read already. */
function writingTime(count: number): number {
  const tools = Array.from({ length: count }, (_, at) => ({
    // Against the order in which they are sorted.
    id: `bench.t${String(count - at).padStart(6, "0")}`,
    version: "1.0.0",
    input: { type: "object", properties: { q: { type: "string" } } },
    output: { type: "object", required: ["a", "b"] },
    modulePath: `tools/t${at}.mjs`,
  }));
  const collected: CollectedPack = {
    packId: "bench",
    packVersion: "1.0.0",
    entries: { tools, guardrails: [], agents: [], flows: [] },
    fileCount: count,
    fileErrors: [],
    warnings: [],
  };
  const stamp = { artifactVersion: "bench", publishedAt: "bench" };
  const begun = performance.now();
  canonicalJson(indexDocument(collected, stamp));
  return performance.now() - begun;
}

async function measure(): Promise<Target[]> {
  const dir = await Deno.makeTempDir({ prefix: "kindgi-bench-" });
  try {
    const [jsonDir, zodDir] = [join(dir, "json"), join(dir, "zod")];
    await writePack(jsonDir, JSON_TOOL, FILES);
    await writePack(zodDir, ZOD_TOOL, FILES);
    const json = await ratioTo("import", jsonDir);
    const zod = await ratioTo("import-and-convert", zodDir);
    const writing = (count: number) => {
      let time = Infinity;
      for (let run = 0; run < 10; run++) {
        time = Math.min(time, writingTime(count));
      }
      return time;
    };
    const [few, many] = [writing(1_000), writing(10_000)];
    return [
      {
        name: `${FILES} tools with JSON Schemas: indexing / importing`,
        limit: 1.5,
        ...json,
      },
      {
        name:
          `${FILES} tools with Zod: indexing / importing and converting twice`,
        limit: 1.5,
        ...zod,
      },
      {
        name: "writing 10 000 entries / writing 1 000",
        ratio: many / few,
        limit: 12,
        note: `${many.toFixed(1)} ms / ${few.toFixed(1)} ms`,
      },
    ];
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

if (import.meta.main) {
  const targets = await measure();
  for (const { name, ratio, limit, note } of targets) {
    const verdict = ratio <= limit ? "ok  " : "SLOW";
    console.log(
      `${verdict} ${name}: ${ratio.toFixed(2)} (at most ${limit}; ${note})`,
    );
  }
  process.exitCode = targets.every(({ ratio, limit }) => ratio <= limit)
    ? 0
    : 1;
}
