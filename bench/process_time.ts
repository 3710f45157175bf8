/**
 * Processor time of processes as Linux tells it: other work on the machine disturbs it less than time on the clock.
 *
 * @module
 */

import { readFile } from "node:fs/promises";
import { processTree } from "./process_memory.ts";

/** Linux tells it in these, on every machine that Deno has a build for. */
const MS_PER_TICK = 10;

/** Milliseconds of processor time that a process and all that it started have taken so far, in steps of 10. */
export async function processorMs(pid: number): Promise<number> {
  let ticks = 0;
  for (const one of await processTree(pid)) {
    const stat = await readFile(`/proc/${one}/stat`, "utf8");
    // Behind the name, which may hold anything, and its bracket: fields from the third on (`man proc_pid_stat`).
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks * MS_PER_TICK;
}
