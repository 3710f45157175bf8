/**
 * Starting a process that doesn't outlive this one.
 *
 * @module
 */

import { join } from "@std/path/posix/join";
import { environmentVariable, pathExistsNow, systemName } from "./platform.ts";

/**
 * What to put before a command so that its process is killed when this one ends, however it ends: `setpriv --pdeathsig
 * KILL` on a Linux that has it, else nothing. A process that spins would never notice by itself.
 */
export function endWithParent(): readonly string[] {
  if (systemName() !== "linux") return [];
  for (const folder of (environmentVariable("PATH") ?? "").split(":")) {
    const path = join(folder, "setpriv");
    if (pathExistsNow(path)) return [path, "--pdeathsig", "KILL"];
  }
  return [];
}
