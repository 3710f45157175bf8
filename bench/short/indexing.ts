/**
 * Indexing a pack.
 *
 * @module
 */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { JSON_TOOL, writePack } from "../indexer/packs.ts";
import { partMs } from "../indexer/part_process.ts";
import { median } from "../server_process.ts";
import type { Measurement } from "./measurement.ts";

const SIZE = 250;
const ROUNDS = 5;

/** Indexing a pack, beside importing it. */
export const INDEXING: Measurement = {
  figures: ["indexer"],
  async measure() {
    const folder = await mkdtemp(join(tmpdir(), "kindgi-bench-"));
    const pack = { folder, size: SIZE };
    try {
      await writePack(folder, JSON_TOOL, SIZE);
      const ratios: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const importing = await partMs({ part: "import", ...pack });
        ratios.push(importing / await partMs({ part: "index", ...pack }));
      }
      return { indexer: median(ratios) };
    } finally {
      await rm(folder, { recursive: true });
    }
  },
};
