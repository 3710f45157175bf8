/** `Deno.Command` on `node:child_process`. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import os from "node:os";
import process from "node:process";
import { Readable, Writable } from "node:stream";

/** A program to run, as `Deno.Command` takes it. */
export class Command {
  readonly #program: string;
  readonly #options: Deno.CommandOptions;

  constructor(program: string | URL, options: Deno.CommandOptions = {}) {
    this.#program = String(program);
    this.#options = options;
  }

  /** Runs it to its end; its output is piped unless the options say otherwise. */
  async output(): Promise<Deno.CommandOutput> {
    const child = new Command(this.#program, {
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
      ...this.#options,
    }).spawn();
    return await child.output();
  }

  /** Starts it. */
  spawn(): Child {
    const { args = [], cwd, env, clearEnv, stdin, stdout, stderr, signal } =
      this.#options;
    const child = spawn(this.#program, args, {
      ...(cwd === undefined ? {} : { cwd }),
      ...(signal === undefined ? {} : { signal }),
      env: { ...(clearEnv ? {} : process.env), ...env },
      stdio: [stdio(stdin), stdio(stdout), stdio(stderr)],
    });
    return new Child(child);
  }
}

/** A started program. */
export class Child {
  readonly #child: ChildProcess;
  readonly #stdout: ReadableStream<Uint8Array<ArrayBuffer>> | undefined;
  readonly #stderr: ReadableStream<Uint8Array<ArrayBuffer>> | undefined;
  /** Settles when it has ended; rejects when it couldn't be started. */
  readonly status: Promise<Deno.CommandStatus>;

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#stdout = readable(child.stdout);
    this.#stderr = readable(child.stderr);
    this.status = once(child, "exit").then(([code, signal]) => ({
      success: code === 0,
      code: code ?? 128 + os.constants.signals[signal as NodeJS.Signals],
      signal,
    }));
  }

  get pid(): number {
    return this.#child.pid!;
  }

  get stdin(): WritableStream<Uint8Array> {
    return Writable.toWeb(this.#child.stdin!);
  }

  get stdout(): ReadableStream<Uint8Array<ArrayBuffer>> {
    return piped(this.#stdout);
  }

  get stderr(): ReadableStream<Uint8Array<ArrayBuffer>> {
    return piped(this.#stderr);
  }

  kill(signal: NodeJS.Signals = "SIGTERM"): void {
    if (!this.#child.kill(signal)) throw new TypeError("It has ended already");
  }

  ref(): void {
    this.#child.ref();
  }

  unref(): void {
    this.#child.unref();
  }

  /** Reads what it writes to the end. */
  async output(): Promise<Deno.CommandOutput> {
    const [stdout, stderr, status] = await Promise.all([
      bytesOf(this.#stdout),
      bytesOf(this.#stderr),
      this.status,
    ]);
    return { ...status, stdout, stderr };
  }
}

function stdio(kind: "piped" | "inherit" | "null" = "inherit") {
  return ({ piped: "pipe", inherit: "inherit", null: "ignore" } as const)[kind];
}

function readable(
  stream: Readable | null,
): ReadableStream<Uint8Array<ArrayBuffer>> | undefined {
  return stream === null
    ? undefined
    : Readable.toWeb(stream) as ReadableStream<Uint8Array<ArrayBuffer>>;
}

function piped<T>(stream: T | undefined): T {
  if (stream === undefined) throw new TypeError("It isn't piped");
  return stream;
}

async function bytesOf(
  stream: ReadableStream<Uint8Array<ArrayBuffer>> | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  const body = stream === undefined ? "" : stream;
  return new Uint8Array(await new Response(body).arrayBuffer());
}
