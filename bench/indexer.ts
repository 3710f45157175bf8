/**
 * What indexing costs, as ratios of what it can't avoid. Run it alone: `deno run -A bench/indexer.ts`.
 *
 * Each measurement runs in a process of its own, since a process imports a module once. What counts is its processor
 * time, which other work on the machine disturbs less than the time on the clock.
 *
 * @module
 */
import { join } from "node:path";
import process from "node:process";
import { canonicalJson } from "../base/canonical_json.ts";
import { type CollectedPack, collectPack } from "../indexer/collect.ts";
import { indexDocument } from "../indexer/index_document.ts";

const FILES = 1_000;
const ROUNDS = 7;

/** A ratio and what it may be at most. */
interface Target {
  readonly name: string;
  readonly ratio: number;
  readonly limit: number;
  readonly note: string;
}

const JSON_TOOL = (at: number) =>
  `export default { id: "bench.t${at}", version: "1.0.0", description: "Tool ${at}",
  input: { type: "object", properties: { q: { type: "string", minLength: ${
    at % 9
  } }, k: { type: "integer", default: 3 },
    filters: { type: "array", items: { type: "object", properties: { field: { type: "string" }, value: true } } } },
    required: ["q"], additionalProperties: false },
  output: { type: "object", properties: { hits: { type: "array", items: { type: "string" } } }, required: ["hits"] },
  effects: [{ kind: "reads", target: "index" }], handler: () => ({ hits: [] }) };`;

const ZOD_TOOL = (at: number) =>
  `import { z } from "zod";
export default { id: "bench.t${at}", version: "1.0.0",
  inputZod: z.object({ q: z.string().min(${
    at % 9
  }), k: z.number().int().default(3),
    filters: z.array(z.object({ field: z.string(), value: z.unknown() })).optional() }),
  outputZod: z.object({ hits: z.array(z.string()) }), handler: () => ({ hits: [] }) };`;

async function writePack(
  dir: string,
  tool: (at: number) => string,
): Promise<string[]> {
  await Deno.mkdir(join(dir, "tools"), { recursive: true });
  await Deno.writeTextFile(
    join(dir, "kindgi.config.mjs"),
    `export default { pack: { id: "bench", version: "1.0.0" } };`,
  );
  const paths: string[] = [];
  for (let at = 0; at < FILES; at++) {
    paths.push(join(dir, "tools", `t${String(at).padStart(4, "0")}.mjs`));
    await Deno.writeTextFile(paths[at]!, tool(at));
  }
  return paths;
}

/** Milliseconds of processor time that one part takes in a process of its own. */
async function inProcess(part: string, dir: string): Promise<number> {
  const { stdout, stderr, code } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", import.meta.filename!, part, dir],
  }).output();
  if (code !== 0) throw new Error(new TextDecoder().decode(stderr));
  return Number(new TextDecoder().decode(stdout));
}

/** What one part takes over another: the median over some rounds, in each of which they ran one after the other. */
async function ratioOf(
  part: string,
  base: string,
  dir: string,
): Promise<{ ratio: number; note: string }> {
  const rounds: { ratio: number; note: string }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const under = await inProcess(base, dir);
    const over = await inProcess(part, dir);
    const note = `${over.toFixed(0)} ms / ${under.toFixed(0)} ms`;
    rounds.push({ ratio: over / under, note });
  }
  rounds.sort((a, b) => a.ratio - b.ratio);
  return rounds[Math.floor(ROUNDS / 2)]!;
}

/** The parts that are measured, each run as `bench/indexer.ts <part> <dir>`. */
const PARTS: Readonly<Record<string, (dir: string) => Promise<unknown>>> = {
  import: importAll,
  "import-and-convert": async (dir) => {
    const { z } = await import("zod");
    for (const module of await importAll(dir)) {
      const { inputZod, outputZod } = module.default as {
        inputZod: import("zod").ZodType;
        outputZod: import("zod").ZodType;
      };
      for (let time = 0; time < 2; time++) {
        z.toJSONSchema(inputZod, { io: "input" });
        z.toJSONSchema(outputZod, { io: "output" });
      }
    }
  },
  index: async (dir) => {
    const collected = await collectPack({ packDir: dir });
    if (collected.kind === "err" || collected.value.fileErrors.length > 0) {
      throw new Error(JSON.stringify(collected).slice(0, 1_000));
    }
    await Deno.writeTextFile(
      join(dir, "index.json"),
      canonicalJson(indexDocument(collected.value, STAMP)),
    );
  },
};

const STAMP = { artifactVersion: "bench", publishedAt: "bench" };

async function importAll(dir: string): Promise<{ default: unknown }[]> {
  const modules: { default: unknown }[] = [];
  for (let at = 0; at < FILES; at++) {
    const name = `t${String(at).padStart(4, "0")}.mjs`;
    modules.push(await import(`file://${join(dir, "tools", name)}`));
  }
  return modules;
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
  const begun = performance.now();
  canonicalJson(indexDocument(collected, STAMP));
  return performance.now() - begun;
}

async function measure(): Promise<Target[]> {
  const dir = await Deno.makeTempDir({ prefix: "kindgi-bench-" });
  try {
    const [jsonDir, zodDir] = [join(dir, "json"), join(dir, "zod")];
    await writePack(jsonDir, JSON_TOOL);
    await writePack(zodDir, ZOD_TOOL);
    const json = await ratioOf("index", "import", jsonDir);
    const zod = await ratioOf("index", "import-and-convert", zodDir);
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

const [part, dir] = Deno.args;
if (part !== undefined && dir !== undefined) {
  const before = process.cpuUsage();
  await PARTS[part]!(dir);
  const { user, system } = process.cpuUsage(before);
  console.log((user + system) / 1_000);
} else {
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
