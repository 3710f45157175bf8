/**
 * The few things that Deno and Node do differently. Nothing else in the package names `Deno` or asks which runtime it
 * is on, process entry files aside.
 *
 * @module
 */

import process from "node:process";
import { spawn } from "node:child_process";
import { realpathSync, writeSync } from "node:fs";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";

/** Which runtime this process is: decided once. */
export const runtimeName: "deno" | "node" = "Deno" in globalThis
  ? "deno"
  : "node";

/** A listening HTTP server. */
export interface HttpListener {
  /** The port that is bound. */
  readonly port: number;
  /** The host that is bound, as an address. */
  readonly hostname: string;
  /**
   * Stops listening and ends every connection, answered or not. Answers that are on their way get up to `sendMs` (0) to
   * arrive first.
   */
  close(sendMs?: number): Promise<void>;
}

/** What {@link serveHttp} needs. */
export interface ServeOptions {
  /** Address to bind; without one every interface, IPv6 and IPv4, is bound. */
  readonly hostname?: string;
  /** Port to bind; 0 picks a free one. */
  readonly port: number;
  /** Answers one request; must not throw. */
  readonly handler: (request: Request) => Response | Promise<Response>;
}

/**
 * Opens an HTTP listener.
 *
 * Without a host it binds `::` with both address families, or `0.0.0.0` where there is no IPv6
 * (`spec/executors.md`, Host and port).
 *
 * @throws {Error} If the address can't be bound; the error's `code` or `name` says why (`EADDRINUSE`, `AddrInUse`).
 */
export async function serveHttp(options: ServeOptions): Promise<HttpListener> {
  if (options.hostname !== undefined) {
    return await bindHttp(options.hostname, options);
  }
  try {
    return await bindHttp("::", options);
  } catch (error) {
    if (isAddressInUse(error)) throw error;
    return await bindHttp("0.0.0.0", options);
  }
}

async function bindHttp(
  hostname: string,
  { port, handler }: ServeOptions,
): Promise<HttpListener> {
  if (runtimeName === "node") return await bindNode(hostname, port, handler);
  const abort = new AbortController();
  const sending = new Sending();
  const server = Deno.serve({
    hostname,
    port,
    signal: abort.signal,
    onListen: () => {},
  }, async (request, { completed }) => {
    const answer = await handler(request);
    sending.add(completed);
    return answer;
  });
  return {
    port: server.addr.port,
    hostname,
    close: async (sendMs = 0) => {
      await sending.wait(sendMs);
      abort.abort();
      await server.finished;
    },
  };
}

/** How long the last bytes of an answer take to leave for a caller who reads them, in ms. */
const LEAVING_MS = 250;

/** The answers that are on their way: ending their connections would cut them off. */
class Sending {
  #count = 0;
  #lastHandedOver = -Infinity;
  #wake = () => {};

  /** One more answer is on its way; `handedOver` settles when the platform has taken all of it. */
  add(handedOver: Promise<unknown>): void {
    this.#count++;
    const done = () => {
      this.#count--;
      this.#lastHandedOver = performance.now();
      this.#wake();
    };
    handedOver.then(done, done);
  }

  /** Waits until all have left, but not for longer than `ms`. */
  async wait(ms: number): Promise<void> {
    const end = performance.now() + ms;
    for (;;) {
      const until = this.#count > 0
        ? end
        : Math.min(end, this.#lastHandedOver + LEAVING_MS);
      const left = until - performance.now();
      if (left <= 0) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }
}

/** The part of Node's response that says when it has been sent. */
interface NodeAnswer {
  once(event: "close", listener: () => void): unknown;
}

async function bindNode(
  hostname: string,
  port: number,
  handler: ServeOptions["handler"],
): Promise<HttpListener> {
  const { serve } = await import("@hono/node-server");
  const sending = new Sending();
  return await new Promise((resolve, reject) => {
    const server = serve(
      {
        fetch: async (
          request: Request,
          { outgoing }: { outgoing: NodeAnswer },
        ) => {
          const answer = await handler(request);
          sending.add(
            new Promise<void>((done) => outgoing.once("close", done)),
          );
          return answer;
        },
        hostname,
        port,
      },
      (info: { port: number }) =>
        resolve({
          port: info.port,
          hostname,
          close: async (sendMs = 0) => {
            await sending.wait(sendMs);
            await new Promise<void>((done) => {
              server.close(() => done());
              (server as { closeAllConnections?: () => void })
                .closeAllConnections?.();
            });
          },
        }),
    );
    server.once("error", reject);
  });
}

/** Whether an error of binding an address means that someone else has it. */
export function isAddressInUse(error: unknown): boolean {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return code === "EADDRINUSE" || name === "AddrInUse";
}

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
 * process alive, and it meets the end of its standard input when this process ends. Deno only.
 *
 * `node:child_process` doesn't do here: on Deno it adds `-A` when it is asked to start Deno.
 *
 * @throws {Error} If the program can't be started, or this is Node.
 */
export function spawnPiped(options: SpawnOptions): PipedProcess {
  if (runtimeName === "node") {
    throw new Error("Cannot start a piped process: it needs Deno");
  }
  const [program = "", ...args] = options.command;
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

/** The environment of this process, as it is now. */
export function currentEnvironment(): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined) environment[name] = value;
  }
  return environment;
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

/** The path of the runtime's own executable. */
export function runtimeExecutable(): string {
  return process.execPath;
}

/** Whether `value` is the operating system's name that this package refuses (`spec/executors.md`, Systems). */
export function isUnsupportedSystem(): boolean {
  return process.platform === "win32";
}

/** Writes text to standard output or standard error before it returns; a reader that has gone is no error. */
export function writeText(stream: "stdout" | "stderr", text: string): void {
  const bytes = new TextEncoder().encode(text);
  const descriptor = stream === "stdout" ? 1 : 2;
  let written = 0;
  while (written < bytes.length) {
    try {
      written += writeSome(descriptor, bytes.subarray(written));
    } catch (error) {
      const { code, name } = error as { code?: unknown; name?: unknown };
      // A pipe that is full for now; its reader goes on reading.
      if (code !== "EAGAIN" && name !== "WouldBlock") return;
    }
  }
}

function writeSome(descriptor: 1 | 2, bytes: Uint8Array): number {
  if (runtimeName === "node") return writeSync(descriptor, bytes);
  return (descriptor === 1 ? Deno.stdout : Deno.stderr).writeSync(bytes);
}

/**
 * Whether a module is what the process was started with, also through a symbolic link; `meta` is its `import.meta`.
 */
export function isProcessEntry(
  meta: { readonly url: string; readonly main?: boolean },
): boolean {
  if (meta.main !== undefined) return meta.main;
  const started = process.argv[1];
  if (started === undefined) return false;
  try {
    return realpathSync(started) === fileURLToPath(meta.url);
  } catch {
    return false;
  }
}
