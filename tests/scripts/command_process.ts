/** A command of this project as a process of its own, talked with through pipes. */
import { eventually } from "../pack_service/support/eventually.ts";
import { descendantsOf, untilGone } from "./dev_process.ts";
import { scriptArguments, scriptEnvironment } from "./script.ts";

/** How to start it. */
export interface CommandOptions {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** A running command. */
export class CommandProcess implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #stdin: WritableStreamDefaultWriter<Uint8Array>;
  /** Its exit code, once it has ended and all that it printed has been read. */
  readonly ended: Promise<number>;
  /** What it has printed on standard output, and on standard error. */
  stdout = "";
  stderr = "";
  #over = false;

  /** Starts it, without waiting for anything. */
  constructor(script: string, { args, env, cwd }: CommandOptions) {
    this.#child = new Deno.Command(Deno.execPath(), {
      args: scriptArguments(script, args),
      clearEnv: true,
      env: scriptEnvironment(env),
      ...(cwd === undefined ? {} : { cwd }),
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#stdin = this.#child.stdin.getWriter();
    const read = Promise.all([
      forEachText(this.#child.stdout, (text) => this.stdout += text),
      forEachText(this.#child.stderr, (text) => this.stderr += text),
    ]);
    this.ended = Promise.all([this.#child.status, read])
      .then(([{ code }]) => {
        this.#over = true;
        return code;
      });
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** Types a line. */
  async type(line: string): Promise<void> {
    await this.#stdin.write(new TextEncoder().encode(`${line}\n`));
  }

  /** Ends its input; answers its exit code. */
  async end(): Promise<number> {
    await this.#stdin.close();
    return await this.ended;
  }

  /** Waits until it has said something, on either stream, so many times. */
  async until(text: string, times = 1): Promise<void> {
    const said = () => `${this.stdout}\n${this.stderr}`;
    await eventually(
      () => `${times} × ${JSON.stringify(text)} in:\n${said()}`,
      () => {
        if (said().split(text).length > times) return true;
        if (this.#over) throw new Error(`it has ended:\n${said()}`);
      },
    );
  }

  kill(signal: Deno.Signal): void {
    try {
      this.#child.kill(signal);
    } catch {
      // It has ended already.
    }
  }

  /** Kills it with everything it has started. */
  async [Symbol.asyncDispose](): Promise<void> {
    const all = this.#over ? [] : await descendantsOf(this.pid);
    this.kill("SIGKILL");
    await untilGone(all);
    await this.ended;
    await this.#stdin.close().catch(() => {});
  }
}

async function forEachText(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  take: (text: string) => void,
): Promise<void> {
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    take(text);
  }
}
