/**
 * Running a command with all that it starts, so that none of it outlives this process.
 *
 * @module
 */
import { spawn } from "node:child_process";
import process from "node:process";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";

// The command runs in a process group of its own. A reader waits for the end of a pipe that only this process holds:
// it comes however this process ends, by SIGKILL too, and then the reader kills the group.
const SCRIPT = `exec 3<&0 </dev/null
"$@" 3<&- &
command=$!
(read -r line <&3; kill -s KILL 0) >/dev/null 2>&1 &
reader=$!
wait "$command"
code=$?
kill -s KILL "$reader"
wait "$reader" 2>/dev/null
exit "$code"`;

/** What to run. */
export interface GroupOptions {
  /** Program and arguments. */
  readonly command: readonly string[];
  /** Working folder. */
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Kills the command and what it has started. */
  readonly signal: AbortSignal;
  /** Takes each line that it writes on standard error, as it comes. */
  readonly onErrorLine: (line: string) => void;
}

/** How a command ended. */
export interface GroupEnd {
  /** Its exit code; past 128 where a signal ended it. */
  readonly code: number;
  /** What it wrote on standard output. */
  readonly stdout: string;
}

/**
 * Runs a command to its end, and ends what it has left behind.
 *
 * @throws {Error} If it can't be started.
 */
export async function runGroup(options: GroupOptions): Promise<GroupEnd> {
  const { command, cwd, env, signal, onErrorLine } = options;
  const child = spawn("/bin/sh", ["-c", SCRIPT, "sh", ...command], {
    detached: true,
    cwd,
    env: { ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let ended = false;
  const kill = (): void => {
    if (ended || child.pid === undefined) return;
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // It is gone already.
    }
  };
  const code = new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => {
      kill();
      ended = true;
      resolve(code ?? 137);
    });
  });
  const lines = createInterface({ input: child.stderr });
  lines.on("line", onErrorLine);
  const read = new Promise((done) => lines.once("close", done));
  child.stdin.on("error", () => {}); // The reader is gone; how the command ended says more.
  signal.addEventListener("abort", kill);
  if (signal.aborted) kill();
  try {
    const [exit, stdout] = await Promise.all([code, text(child.stdout), read]);
    return { code: exit, stdout };
  } finally {
    signal.removeEventListener("abort", kill);
    child.stdin.destroy();
  }
}
