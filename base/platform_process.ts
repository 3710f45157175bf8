/**
 * Starting processes and talking to them, on Deno and on Node.
 *
 * @module
 */

import { nodeModule, nodeProcess, runtimeName } from "./platform_runtime.ts";

/** How a process ended: its exit code, or the signal that ended it. */
export interface ProcessEnd {
  /** The exit code; 128 + the signal's number where a signal ended it. */
  readonly code: number;
  /** The signal's name, where one ended it. */
  readonly signal: string | undefined;
}

/** A started process with its output streams. */
export interface SpawnedProcess {
  /** The operating system's process id. */
  readonly pid: number;
  /** What it writes on standard output. */
  readonly stdout: ReadableStream<Uint8Array>;
  /** What it writes on standard error. */
  readonly stderr: ReadableStream<Uint8Array>;
  /** Settles when it has ended. */
  readonly ended: Promise<ProcessEnd>;
  /** Sends it a signal; nothing happens when it has ended already. */
  kill(signal: "SIGTERM" | "SIGKILL"): void;
}

/** What {@link spawnProcess} needs. */
export interface SpawnOptions {
  /** Program and arguments. */
  readonly command: readonly string[];
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Working folder; this process's when absent. */
  readonly cwd?: string;
}

/**
 * Starts a process with exactly the given environment, no standard input, and piped output.
 *
 * @throws {Error} If the program can't be started.
 */
export function spawnProcess(options: SpawnOptions): Promise<SpawnedProcess> {
  return runtimeName === "deno" ? spawnOnDeno(options) : spawnOnNode(options);
}

// Deno.Command is used here, not node:child_process: its streams cost less and start sooner.
// deno-lint-ignore require-await -- so that a failed spawn rejects instead of throwing
async function spawnOnDeno(options: SpawnOptions): Promise<SpawnedProcess> {
  const [program = "", ...args] = options.command;
  const child = new Deno.Command(program, {
    args,
    env: { ...options.env },
    clearEnv: true,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  return {
    pid: child.pid,
    stdout: child.stdout,
    stderr: child.stderr,
    ended: child.status.then(({ code, signal }) => ({
      code,
      signal: signal ?? undefined,
    })),
    kill: (signal) => {
      try {
        child.kill(signal);
      } catch {
        // It has ended already.
      }
    },
  };
}

function spawnOnNode(options: SpawnOptions): Promise<SpawnedProcess> {
  const [program = "", ...args] = options.command;
  const { spawn } = nodeModule("child_process");
  const { Readable } = nodeModule("stream");
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      env: { ...options.env },
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      stdio: ["ignore", "pipe", "pipe"],
    });
    const ended = new Promise<ProcessEnd>((done) => {
      child.once(
        "close",
        (code, signal) =>
          done({ code: code ?? 128, signal: signal ?? undefined }),
      );
    });
    child.once("error", reject);
    child.once("spawn", () =>
      resolve({
        pid: child.pid!,
        stdout: Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
        stderr: Readable.toWeb(child.stderr) as ReadableStream<Uint8Array>,
        ended,
        kill: (signal) => void child.kill(signal),
      }));
  });
}

/**
 * V8's flag that lets its linear engine take over a regular expression that backtracks too much; `base/pattern.ts` makes
 * the patterns of schemas eligible.
 */
export const LINEAR_PATTERNS_FLAG =
  "--enable-experimental-regexp-engine-on-excessive-backtracks";

/** Sets a flag of V8 for what this process compiles from now on. On Node only: on Deno flags are given at the start. */
export function setEngineFlag(flag: string): void {
  nodeModule("v8").setFlagsFromString(flag);
}

/** A process that exchanges bytes over its standard input and output; what it writes on standard error is dropped. */
export interface PipedProcess {
  /** The operating system's process id. */
  readonly pid: number;
  /** What it writes on standard output. */
  readonly stdout: ReadableStream<Uint8Array>;
  /** Its standard input. */
  readonly stdin: WritableStream<Uint8Array>;
  /** Settles when it has ended. */
  readonly ended: Promise<ProcessEnd>;
  /** Ends it at once; nothing happens when it has ended already. */
  kill(): void;
}

/**
 * Starts a process with exactly the given environment and pipes to its standard input and output. It doesn't keep this
 * process alive, and it meets the end of its standard input when this process ends; where {@link deathBound} can see to
 * it, it is killed then, so that one that spins ends too. Deno only.
 *
 * `node:child_process` doesn't do here: on Deno it adds `-A` when it is asked to start Deno.
 *
 * @throws {Error} If the program can't be started, or this is Node.
 */
export function spawnPiped(options: SpawnOptions): PipedProcess {
  if (runtimeName === "node") {
    throw new Error("Cannot start a piped process: it needs Deno");
  }
  const [program = "", ...args] = [...deathBound(), ...options.command];
  const child = new Deno.Command(program, {
    args,
    env: { ...options.env },
    clearEnv: true,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  child.unref();
  return {
    pid: child.pid,
    stdout: child.stdout,
    stdin: child.stdin,
    ended: child.status.then(({ code, signal }) => ({
      code,
      signal: signal ?? undefined,
    })),
    kill: () => {
      try {
        child.kill("SIGKILL");
      } catch {
        // It has ended already.
      }
    },
  };
}

const SETPRIV = "/usr/bin/setpriv";

/**
 * What to put before a command so that its process is killed when this one ends, however it ends: on a Linux that has
 * util-linux's `setpriv`, and where this process may run it without asking anybody; else nothing.
 */
export function deathBound(): readonly string[] {
  const system = runtimeName === "deno"
    ? Deno.build.os
    : nodeProcess().platform;
  if (system !== "linux" || !mayRunSetpriv()) return [];
  try {
    const path = runtimeName === "deno"
      ? Deno.realPathSync(SETPRIV)
      : nodeModule("fs").realpathSync(SETPRIV);
    // BusyBox has one of its own under this name, which can't do it.
    if (!path.endsWith("/setpriv")) return [];
  } catch {
    return [];
  }
  return [SETPRIV, "--pdeathsig", "KILL"];
}

function mayRunSetpriv(): boolean {
  if (runtimeName === "node") return true;
  const needed = [
    { name: "run", command: SETPRIV },
    { name: "read", path: SETPRIV },
  ] as const;
  return needed.every((permission) =>
    Deno.permissions.querySync(permission).state === "granted"
  );
}

/** A connection that carries bytes both ways. */
export interface ByteConnection {
  /** Reads what has arrived into `buffer`; `null` at the end. */
  read(buffer: Uint8Array): Promise<number | null>;
  /** Writes some of `bytes` and answers how many; tries at once, before the call returns. */
  write(bytes: Uint8Array): Promise<number>;
  /** Closes it; both sides see the end. */
  close(): void;
}

/** A local socket that waits for one connection. */
export interface LocalListener {
  /** The first connection. */
  accept(): Promise<ByteConnection>;
  /** Stops waiting; an accepted connection stays open. */
  close(): void;
}

/**
 * Opens a Unix socket at `path`. Executors are Deno processes, so this exists on Deno only.
 *
 * @throws {Error} If the path is taken, too long (107 bytes), or this is Node.
 */
export function listenLocal(path: string): LocalListener {
  if (runtimeName === "node") {
    throw new Error("Cannot open an executor channel: executors need Deno");
  }
  const listener = Deno.listen({ transport: "unix", path });
  return {
    accept: () => listener.accept(),
    close: () => listener.close(),
  };
}
