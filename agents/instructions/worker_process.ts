/**
 * The process behind one render worker: started without any right, and spoken to in messages.
 *
 * @module
 */

import { fork } from "node:child_process";
import { existsSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import {
  deathBound,
  runtimeExecutable,
  runtimeName,
  spawnPiped,
} from "../../base/platform.ts";
import { encodeFrame, FrameReader } from "./frames.ts";

/** How a worker's process ended. */
export interface WorkerEnd {
  /** Whether its heap was full. */
  readonly heapExhausted: boolean;
  /** In words: the signal or the exit code. */
  readonly how: string;
  /** Whether its last message surely never reached it: it had ended before. */
  readonly undelivered: boolean;
}

/** A message of this many bytes goes into a pipe at once or not at all. */
const WHOLE_WRITE = 1 << 16;

/** A started worker. */
export interface WorkerProcess {
  /** Sends it a message. */
  send(message: string): void;
  /** Ends it wherever it is. */
  kill(): void;
  /** Settles when it has ended and its channel is closed. */
  readonly ended: Promise<WorkerEnd>;
}

/** What {@link startWorkerProcess} needs. */
export interface WorkerProcessOptions {
  /** V8's cap on the old generation of its heap, in MiB. */
  readonly maxOldSpaceMb: number;
  /** The longest message that is taken from it, in bytes; a longer one ends it. */
  readonly longestMessage: number;
  /** Takes its messages. */
  readonly onMessage: (message: string) => void;
}

/**
 * Names the worker's module, so that Deno caches it and its imports along with this module: a worker starts offline.
 * Never called: the module is a process's entry.
 */
export function workerModule(): Promise<unknown> {
  return import("./worker_main.ts");
}

/**
 * Starts a worker's process; it doesn't keep this process alive.
 *
 * On Deno: `deno run` without any permission, offline, with nothing in its environment but what Deno finds its module
 * cache by, and pipes on standard input and output. On Node: a fork with an empty environment, the heap cap as its only
 * flag, and the IPC channel. Either is killed when this process ends, where the system can see to it.
 *
 * @throws {Error} If the process can't be started.
 */
export function startWorkerProcess(
  options: WorkerProcessOptions,
): WorkerProcess {
  return runtimeName === "deno" ? startOnDeno(options) : startOnNode(options);
}

/** The worker's module: beside this one, in the same language. */
function workerUrl(): URL {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return new URL(`./worker_main.${extension}`, import.meta.url);
}

/** The command line of a worker on Deno; no flag of it grants anything. */
function denoCommand(maxOldSpaceMb: number): [string, ...string[]] {
  return [
    runtimeExecutable(),
    "run",
    "--quiet",
    "--no-prompt",
    "--cached-only",
    ...configArguments(),
    `--v8-flags=--max-old-space-size=${maxOldSpaceMb}`,
    workerUrl().href,
  ];
}

/**
 * How the worker's imports are resolved: from a checkout by its own `deno.json`, whatever the program that uses it has.
 * Published modules name their dependencies in full.
 */
function configArguments(): string[] {
  const config = new URL("../../deno.json", import.meta.url);
  if (config.protocol !== "file:") return ["--no-config", "--no-lock"];
  return existsSync(config) ? ["--config", fileURLToPath(config)] : [];
}

/** What Deno finds its module cache by: its own variable, or else where the platform keeps caches. */
function cacheEnvironment(): Record<string, string> {
  const { DENO_DIR } = process.env;
  if (DENO_DIR !== undefined) return { DENO_DIR };
  const environment: Record<string, string> = {};
  for (const name of ["HOME", "XDG_CACHE_HOME"]) {
    const value = process.env[name];
    if (value !== undefined) environment[name] = value;
  }
  return environment;
}

function startOnDeno(options: WorkerProcessOptions): WorkerProcess {
  const child = spawnPiped({
    command: denoCommand(options.maxOldSpaceMb),
    env: cacheEnvironment(),
  });
  const input = child.stdin.getWriter();
  const read = readMessages(child.stdout, options)
    .catch(() => child.kill()); // it broke the protocol, or its pipe did
  let undelivered = false;
  return {
    send: (message) => {
      const frame = encodeFrame(message);
      // A failed write means that the process has ended, which is what gets reported.
      void input.write(frame).catch(() => {
        undelivered = frame.length <= WHOLE_WRITE;
      });
    },
    kill: child.kill,
    ended: Promise.all([child.ended, read]).then(async ([end]) => {
      await input.close().catch(() => {});
      return workerEnd(end.code, end.signal ?? null, undelivered);
    }),
  };
}

async function readMessages(
  stream: ReadableStream<Uint8Array>,
  { longestMessage, onMessage }: WorkerProcessOptions,
): Promise<void> {
  const frames = new FrameReader(longestMessage);
  const reader = stream.getReader({ mode: "byob" });
  let buffer = new ArrayBuffer(1 << 16); // handed back and forth, so that reading allocates nothing
  try {
    for (;;) {
      const { value, done } = await reader.read(new Uint8Array(buffer));
      if (done) return;
      buffer = value.buffer;
      for (const message of frames.push(value)) onMessage(message);
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function startOnNode(options: WorkerProcessOptions): WorkerProcess {
  const [program, ...flags] = [
    ...deathBound(),
    runtimeExecutable(),
    `--max-old-space-size=${options.maxOldSpaceMb}`,
  ];
  const child = fork(fileURLToPath(workerUrl()), {
    env: {},
    execPath: program,
    execArgv: flags,
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  child.on("message", (message) => options.onMessage(String(message)));
  let undelivered = false;
  const ended = new Promise<WorkerEnd>((resolve) => {
    child.once("exit", (code, signal) => {
      resolve(workerEnd(code, signal, undelivered));
    });
    child.once("error", (error) => {
      resolve({ heapExhausted: false, how: error.message, undelivered });
    });
  });
  child.unref();
  child.channel?.unref();
  return {
    send: (message) => {
      child.send(message, (error) => undelivered = error !== null);
    },
    kill: () => void child.kill("SIGKILL"),
    ended,
  };
}

/** V8 ends a process whose heap is full by a trap or an abort, which shows as one of these. */
const HEAP_SIGNALS = ["SIGTRAP", "SIGABRT", "SIGILL"];
const HEAP_CODES = [132, 133, 134];

function workerEnd(
  code: number | null,
  signal: string | null,
  undelivered: boolean,
): WorkerEnd {
  return {
    undelivered,
    heapExhausted: HEAP_SIGNALS.includes(signal ?? "") ||
      HEAP_CODES.includes(code ?? 0),
    how: signal === null ? `exit code ${code}` : `signal ${signal}`,
  };
}
