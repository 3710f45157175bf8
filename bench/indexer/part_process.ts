/**
 * Starting the parts of `index_part.ts`.
 *
 * @module
 */

import { fileOf } from "../server_process.ts";

/** What is read of which pack. */
export interface PartOptions {
  /** The part. */
  readonly part: "import" | "import-and-convert" | "index";
  /** The pack's folder. */
  readonly folder: string;
  /** How many tools it has. */
  readonly size: number;
}

/** Milliseconds of processor time that one part takes in a process of its own. */
export async function partMs(options: PartOptions): Promise<number> {
  const { part, folder, size } = options;
  const { stdout, stderr, code } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--no-check",
      fileOf("bench/indexer/index_part.ts"),
      ...[part, folder, String(size)],
    ],
  }).output();
  if (code !== 0) throw new Error(new TextDecoder().decode(stderr));
  return Number(new TextDecoder().decode(stdout));
}
