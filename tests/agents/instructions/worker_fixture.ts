/** How the tests of the worker renderer look at its processes, from outside, through `/proc`. */

/** The children of a process that run the worker's module with this heap cap; each test uses a cap of its own. */
export function workerPids(maxOldSpaceMb: number, of = Deno.pid): number[] {
  const pids: number[] = [];
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const { state, parent } = statOf(Number(name));
      if (state === "Z" || parent !== of) continue;
      if (commandLine(Number(name)).join(" ").includes(`=${maxOldSpaceMb} `)) {
        pids.push(Number(name));
      }
    } catch {
      // It has ended meanwhile.
    }
  }
  return pids;
}

/** What the system says of a process; `ticks` is the processor time it has used, usually in hundredths of a second. */
function statOf(pid: number): { state: string; parent: number; ticks: number } {
  const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state = "", parent] = fields;
  const ticks = Number(fields[11]) + Number(fields[12]);
  return { state, parent: Number(parent), ticks };
}

/** Whether a process has worked so long that it must be at more than its start. */
export function isBusy(pid: number): boolean {
  return statOf(pid).ticks > 80;
}

/** Whether a process runs: it is there and hasn't ended. */
export function runs(pid: number): boolean {
  try {
    return statOf(pid).state !== "Z";
  } catch {
    return false;
  }
}

/** Whether a process is there, be it one that has ended and isn't awaited yet. */
export function exists(pid: number): boolean {
  try {
    return Deno.statSync(`/proc/${pid}`).isDirectory;
  } catch {
    return false;
  }
}

/** The command line of a process. */
export function commandLine(pid: number): string[] {
  return Deno.readTextFileSync(`/proc/${pid}/cmdline`).split("\0").slice(0, -1);
}

/** Names of the variables in a process's environment. */
export function environmentNames(pid: number): string[] {
  return Deno.readTextFileSync(`/proc/${pid}/environ`).split("\0")
    .filter((entry) => entry !== "")
    .map((entry) => entry.slice(0, entry.indexOf("=")));
}

/** What the open descriptors of a process refer to, by number. */
export function descriptors(pid: number): Map<number, string> {
  const found = new Map<number, string>();
  for (const { name } of Deno.readDirSync(`/proc/${pid}/fd`)) {
    try {
      found.set(Number(name), Deno.readLinkSync(`/proc/${pid}/fd/${name}`));
    } catch {
      // It was closed meanwhile.
    }
  }
  return found;
}

/** Waits until a condition holds; fails after a generous while. */
export async function until(
  holds: () => boolean,
  what: string,
): Promise<void> {
  const end = performance.now() + 20_000;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** A search within one step of the engine that takes seconds: only ending the process ends it. */
export const STUCK_TEMPLATE = "{{ text | split: pattern | size }}";

/** The scope of {@link STUCK_TEMPLATE}; `times` multiplies how long it takes, by about its square. */
export function stuckScope(times = 1): { text: string; pattern: string } {
  return {
    text: ("b" + "a".repeat(20_000 * times)).repeat(45),
    pattern: "b" + "a".repeat(30_000 * times),
  };
}
