/**
 * Showing people how far a run has come.
 *
 * @module
 */
import process from "node:process";
import type { FileStart } from "./collect.ts";

/** Progress is shown for packs of more files than this. */
const MANY_FILES = 50;

/** A line on a terminal that says which file is being read. */
export interface Progress {
  /** Shows a file. */
  readonly show: (file: FileStart) => void;
  /** Takes the line away. */
  readonly clear: () => void;
}

/** Progress of a large pack, where there is someone to read it. */
export function progressLine(quiet: boolean): Progress {
  // A line is written over itself, which a dumb terminal can't do.
  const terminal = process.stderr.isTTY === true && !quiet &&
    process.env.TERM !== "dumb";
  let shown = false;
  return {
    show: ({ path, done, total }) => {
      if (!terminal || total <= MANY_FILES) return;
      shown = true;
      process.stderr.write(`\r\x1b[2K${done + 1}/${total} ${path}`);
    },
    clear: () => {
      if (shown) process.stderr.write("\r\x1b[2K");
      shown = false;
    },
  };
}
