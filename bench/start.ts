/**
 * From a process's start until the service listens, for packs of ten and of a thousand tools, beside a hello-world server.
 *
 * @module
 */

import {
  type BenchServer,
  fileOf,
  median,
  startScript,
  startServer,
  startService,
} from "./server_process.ts";

const ROUNDS = 9;
const FEW = 10;
const MANY = 1_000;

/** Writes a pack of so many tools, each in a module of its own, and answers where its index is. */
async function writePack(folder: string, size: number): Promise<string> {
  await Deno.mkdir(folder);
  const schema = {
    type: "object",
    properties: { message: { type: "string" } },
    required: ["message"],
  };
  const tools = Array.from({ length: size }, (_, at) => ({
    id: `bench.t${at}`,
    input: schema,
    output: schema,
    effects: [],
    modulePath: `t${at}.mjs`,
  }));
  for (const { modulePath } of tools) {
    const source = "export default ({ message }) => ({ message });\n";
    await Deno.writeTextFile(`${folder}/${modulePath}`, source);
  }
  const path = `${folder}/index.json`;
  const index = {
    v: 1,
    packId: "bench",
    packVersion: "1.0.0",
    artifactVersion: "1",
    publishedAt: "2026-01-01T00:00:00.000Z",
    ...{ tools, guardrails: [], agents: [], flows: [] },
  };
  await Deno.writeTextFile(path, JSON.stringify(index));
  return path;
}

/** A service of the pack whose index it is given. */
function startPack(index: string): Promise<BenchServer> {
  const main = fileOf("pack_service/main.ts");
  return startServer([
    ...["run", "-A", main],
    ...["--host", "127.0.0.1", "--index", index],
  ]);
}

if (import.meta.main) {
  const folder = await Deno.makeTempDir();
  try {
    const few = await writePack(`${folder}/few`, FEW);
    const many = await writePack(`${folder}/many`, MANY);
    const starts: Record<string, () => Promise<BenchServer>> = {
      "hello-world Deno.serve": () => startScript("hello.ts"),
      [`pack of ${FEW} tools`]: () => startPack(few),
      // What loading Node's half of Deno takes is then part of the start.
      "one that imports node:process": () => startService(),
      [`pack of ${MANY} tools`]: () => startPack(many),
    };
    // The first start may have to make the executor's bundle.
    await (await startPack(few)).stop();
    const times: Record<string, number[]> = {};
    for (let round = 0; round < ROUNDS; round++) {
      for (const [name, start] of Object.entries(starts)) {
        const server = await start();
        (times[name] ??= []).push(server.startedInMs);
        await server.stop();
      }
    }
    const [hello = []] = Object.values(times);
    for (const [name, all] of Object.entries(times)) {
      const ratio = median(all.map((ms, round) => ms / (hello[round] ?? NaN)));
      console.log(
        name.padEnd(32) + `${median(all).toFixed(0)} ms`.padStart(8) +
          `${ratio.toFixed(1)}×`.padStart(8),
      );
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
