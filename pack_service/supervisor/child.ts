/**
 * One child process that runs a pack service, in any language: started, watched until it listens, ended by its group.
 *
 * @module
 */

import { type ChildProcess, spawn } from "node:child_process";
import process from "node:process";
import { err, ok, type Result } from "../../base/result.ts";
import { type ServiceEvent, serviceEvent } from "./events.ts";
import { readLines } from "./lines.ts";

/** Longest wait for the output of a child that has exited: something it left behind may hold its pipes. */
const OUTPUT_END_MS = 1_000;

/** How often a child's left-over processes are looked at while they still owe an answer. */
const LEFTOVER_POLL_MS = 20;

/** How a child ended. */
export interface ChildEnd {
  /** Its exit code; `null` where a signal ended it or it never ran. */
  readonly code: number | null;
  /** The signal that ended it, if one did. */
  readonly signal: string | null;
}

/** Why a child didn't come up, one sentence each. */
export interface BootProblems {
  /** What the child reported, or what was seen of it. */
  readonly problems: readonly string[];
}

/** What {@link startChild} needs. */
export interface ChildOptions {
  /** Program and arguments. */
  readonly argv: readonly string[];
  /** Working folder; this process's when absent. */
  readonly cwd: string | undefined;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Longest wait for the `listening` event, in milliseconds; the child is killed after it. */
  readonly bootTimeoutMs: number;
  /** A line of the pack's own output. */
  readonly onOutput: (line: string, stream: "stdout" | "stderr") => void;
  /** A record on stderr. */
  readonly onRecord: (event: ServiceEvent, line: string) => void;
}

/** A started child. */
export interface ServiceChild {
  /** Its process id, which is also its process group's; `undefined` when it couldn't be started. */
  readonly pid: number | undefined;
  /** The port it listens on, or why it doesn't; on a problem the child has been killed. */
  readonly booted: Promise<Result<number, BootProblems>>;
  /** Settles when it and its group are gone and everything it wrote has been read. */
  readonly ended: Promise<ChildEnd>;
  /**
   * Asks it to drain and stop (SIGTERM), and kills its group after `graceMs`.
   *
   * `owesAnswers` says whether calls still wait for it: when the command was a wrapper that died of the signal, the
   * service behind it gets the signal too and the rest of the time, as long as answers are owed.
   */
  stop(graceMs: number, owesAnswers: () => boolean): Promise<ChildEnd>;
  /** Kills it and its group at once. */
  kill(): void;
}

/** Starts a child in a process group of its own: stdin closed, stdout and stderr read line by line. */
export function startChild(options: ChildOptions): ServiceChild {
  const [program = "", ...args] = options.argv;
  const started = spawn(program, args, {
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...options.env },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  const group = started.pid;
  let leftoversMayFinish: (() => boolean) | undefined;

  const signal = (target: number, name: "SIGTERM" | "SIGKILL"): void => {
    try {
      process.kill(target, name);
    } catch {
      // It is gone already.
    }
  };
  const signalGroup = (name: "SIGTERM" | "SIGKILL"): void => {
    if (group !== undefined && !groupGone) signal(-group, name);
  };
  let running = group !== undefined;
  // From then on the number may be someone else's.
  let groupGone = false;
  let spawnProblem: string | undefined;
  const exited = new Promise<ChildEnd>((resolve) => {
    started.once("exit", (code, signal) => {
      running = false;
      resolve({ code, signal });
    });
    started.once("error", (error) => {
      spawnProblem = `Cannot start ${program}: ${error.message}`;
      resolve({ code: null, signal: null });
    });
  });
  const port = new Promise<Result<number, BootProblems>>((resolve) => {
    const { stdout, stderr } = started;
    if (stdout) readLines(stdout, (line) => options.onOutput(line, "stdout"));
    if (!stderr) return;
    readLines(stderr, (line) => {
      const event = serviceEvent(line);
      if (event === undefined) return options.onOutput(line, "stderr");
      options.onRecord(event, line);
      const result = bootResult(event);
      if (result !== undefined) resolve(result);
    });
  });
  const ended = exited.then(async (end) => {
    if (leftoversMayFinish !== undefined && leftoversMayFinish()) {
      signalGroup("SIGTERM");
      while (leftoversMayFinish()) await pause(LEFTOVER_POLL_MS);
    }
    signalGroup("SIGKILL");
    groupGone = true;
    await outputEnded(started);
    return end;
  });
  const kill = (): void => signalGroup("SIGKILL");

  return {
    pid: group,
    booted: boot({
      port,
      ended,
      kill,
      timeoutMs: options.bootTimeoutMs,
      spawnProblem: () => spawnProblem,
    }),
    ended,
    kill,
    stop: async (graceMs, owesAnswers) => {
      let graceOver = false;
      leftoversMayFinish = () => !graceOver && owesAnswers();
      if (running) signal(group!, "SIGTERM");
      const timer = setTimeout(() => {
        graceOver = true;
        kill();
      }, graceMs);
      const end = await ended;
      clearTimeout(timer);
      return end;
    },
  };
}

interface BootWatch {
  readonly port: Promise<Result<number, BootProblems>>;
  readonly ended: Promise<ChildEnd>;
  readonly kill: () => void;
  readonly timeoutMs: number;
  readonly spawnProblem: () => string | undefined;
}

async function boot(watch: BootWatch): Promise<Result<number, BootProblems>> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLate = new Promise<Result<number, BootProblems>>((resolve) => {
    timer = setTimeout(() =>
      resolve(err({
        problems: [
          `The pack service didn't listen within ${watch.timeoutMs} ms, so it was killed`,
        ],
      })), watch.timeoutMs);
  });
  // Its exit only counts once all it wrote has been read: a `boot-failed` record says more than a code.
  const gone = watch.ended.then((end) => {
    const problem = watch.spawnProblem() ??
      `The pack service ended before it listened (${describeEnd(end)})`;
    return err({ problems: [problem] });
  });
  const result = await Promise.race([watch.port, tooLate, gone]);
  clearTimeout(timer);
  if (result.kind === "err") {
    watch.kill();
    await watch.ended;
  }
  return result;
}

/** What an event says about booting, if anything (`spec/handler_runtime.md` 6, Boot). */
function bootResult(
  event: ServiceEvent,
): Result<number, BootProblems> | undefined {
  if (event.kind === "listening" && typeof event.port === "number") {
    const { port } = event;
    return Number.isInteger(port) && port > 0 && port <= 65_535
      ? ok(port)
      : err({
        problems: [
          `The pack service says that it listens on port ${port}, which there isn't`,
        ],
      });
  }
  if (event.kind !== "boot-failed" && event.kind !== "config-invalid") {
    return undefined;
  }
  const problems = Array.isArray(event.problems)
    ? event.problems.filter((problem) => typeof problem === "string")
    : [];
  return problems.length > 0 ? err({ problems }) : undefined;
}

function describeEnd(end: ChildEnd): string {
  return end.signal === null ? `exit code ${end.code}` : `signal ${end.signal}`;
}

/** Waits until stdout and stderr have been read to their end, within {@link OUTPUT_END_MS}. */
async function outputEnded(child: ChildProcess): Promise<void> {
  const streams = [child.stdout, child.stderr].filter((stream) =>
    stream !== null
  );
  let timer: ReturnType<typeof setTimeout> | undefined;
  await Promise.race([
    Promise.all(
      streams.map((stream) =>
        stream.readableEnded || stream.destroyed
          ? undefined
          : new Promise<void>((resolve) =>
            stream.once("close", () => resolve())
          )
      ),
    ),
    new Promise<void>((resolve) => {
      timer = setTimeout(resolve, OUTPUT_END_MS);
    }),
  ]);
  clearTimeout(timer);
  for (const stream of streams) stream.destroy();
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
