/**
 * One part of what is measured, in a process of its own, since a process imports a module once: `index_part.ts PART FOLDER
 * SIZE`. Prints the milliseconds of processor time that it took, which other work on the machine disturbs less than the
 * time on the clock.
 *
 * @module
 */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import type { ZodType } from "zod";
import { canonicalJson } from "../../base/canonical_json.ts";
import { collectPack } from "../../indexer/collect.ts";
import { indexDocument } from "../../indexer/index_document.ts";
import { moduleOf } from "./packs.ts";

type Part = (folder: string, size: number) => Promise<unknown>;

/** The parts. */
const PARTS: Readonly<Record<string, Part>> = {
  import: importAll,
  "import-and-convert": async (folder, size) => {
    const { z } = await import("zod");
    for (const module of await importAll(folder, size)) {
      const { inputZod, outputZod } = module.default as {
        inputZod: ZodType;
        outputZod: ZodType;
      };
      for (let time = 0; time < 2; time++) {
        z.toJSONSchema(inputZod, { io: "input" });
        z.toJSONSchema(outputZod, { io: "output" });
      }
    }
  },
  index: async (folder) => {
    const collected = await collectPack({ packDir: folder });
    if (collected.kind === "err" || collected.value.fileErrors.length > 0) {
      throw new Error(JSON.stringify(collected).slice(0, 1_000));
    }
    const stamp = { artifactVersion: "bench", publishedAt: "bench" };
    await writeFile(
      join(folder, "index.json"),
      canonicalJson(indexDocument(collected.value, stamp)),
    );
  },
};

async function importAll(
  folder: string,
  size: number,
): Promise<{ default: unknown }[]> {
  const modules: { default: unknown }[] = [];
  for (let at = 0; at < size; at++) {
    modules.push(await import(pathToFileURL(moduleOf(folder, at)).href));
  }
  return modules;
}

if (import.meta.main) {
  const [part, folder, size] = process.argv.slice(2);
  const before = process.cpuUsage();
  await PARTS[part!]!(folder!, Number(size));
  const { user, system } = process.cpuUsage(before);
  console.log((user + system) / 1_000);
}
