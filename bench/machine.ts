/**
 * What a run of the benches ran on: figures mean little without it.
 *
 * @module
 */

import { execFile } from "node:child_process";
import { cpus, freemem, loadavg, release, totalmem } from "node:os";
import { promisify } from "node:util";

const GIB = 2 ** 30;

/** Facts about the machine and the runtimes, a line each. */
export async function machineFacts(): Promise<string[]> {
  const cores = cpus();
  const load = loadavg().map((each) => each.toFixed(1)).join(", ");
  return [
    `processor  ${cores.length} × ${cores[0]?.model ?? "unknown"}`,
    `memory     ${(totalmem() / GIB).toFixed(0)} GiB, ${
      (freemem() / GIB).toFixed(0)
    } GiB free`,
    `load       ${load} (1, 5 and 15 minutes; ${cores.length} is full)`,
    `system     ${Deno.build.target}, kernel ${release()}`,
    `runtimes   Deno ${Deno.version.deno}, V8 ${Deno.version.v8}, Node ${await nodeVersion()}`,
  ];
}

async function nodeVersion(): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)("node", ["--version"]);
    return stdout.trim().replace(/^v/, "");
  } catch {
    return "not installed";
  }
}
