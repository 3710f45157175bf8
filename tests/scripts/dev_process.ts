/** `deno task dev` as a process of its own, and packs for it. */
import { fileURLToPath } from "node:url";
import type { PackResponse } from "../../pack_service/protocol.ts";
import { sendRequest, toolRequest } from "../../scripts/pack_client.ts";
import { eventually } from "../pack_service/support/eventually.ts";
import { childrenOf, isAlive } from "../pack_service/support/processes.ts";
import { scriptArguments, scriptEnvironment } from "./script.ts";

const CONFIG = fileURLToPath(new URL("../../deno.json", import.meta.url));

/** How to start it. */
export interface DevOptions {
  /** Arguments; `--port 0` is added unless the port is among them. */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Whether to start it by `deno task`, as a user does. */
  readonly task?: boolean;
}

/** A running `deno task dev`. */
export class DevProcess implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #temporary: string;
  /** Its exit code, once it has ended and all that it printed has been read. */
  readonly ended: Promise<number>;
  /** What it has printed on standard output, and on standard error. */
  stdout = "";
  stderr = "";

  private constructor(child: Deno.ChildProcess, temporary: string) {
    this.#child = child;
    this.#temporary = temporary;
    const read = Promise.all([
      forEachText(child.stdout, (text) => this.stdout += text),
      forEachText(child.stderr, (text) => this.stderr += text),
    ]);
    this.ended = Promise.all([child.status, read])
      .then(([{ code }]) => code);
  }

  /** Starts it, without waiting for anything. */
  static async spawn(
    { args, env, cwd, task }: DevOptions,
  ): Promise<DevProcess> {
    // What is killed can't remove its temporary files.
    const temporary = await Deno.makeTempDir();
    const given = args.includes("--port") ? args : [...args, "--port", "0"];
    return new DevProcess(
      new Deno.Command(Deno.execPath(), {
        args: task
          ? ["task", "--config", CONFIG, "dev", ...given]
          : scriptArguments("dev", given),
        clearEnv: true,
        env: scriptEnvironment({ TMPDIR: temporary, ...env }),
        ...(cwd === undefined ? {} : { cwd }),
        stdin: "null",
        stdout: "piped",
        stderr: "piped",
      }).spawn(),
      temporary,
    );
  }

  /** Starts it and waits until the pack is served. */
  static async start(options: DevOptions): Promise<DevProcess> {
    const dev = await DevProcess.spawn(options);
    try {
      await dev.until("dev serving ");
      return dev;
    } catch (error) {
      await dev[Symbol.asyncDispose]();
      throw error;
    }
  }

  get pid(): number {
    return this.#child.pid;
  }

  get url(): string {
    return /is served at (\S+)/.exec(this.stdout)?.[1] ?? "";
  }

  get token(): string {
    return /Its token is (\S+)/.exec(this.stdout)?.[1] ?? "";
  }

  /** How often it has said something on either stream. */
  times(text: string): number {
    return (this.stdout + this.stderr).split(text).length - 1;
  }

  /** Waits until it has said something so many times. */
  async until(text: string, times = 1): Promise<void> {
    let over = false;
    void this.ended.then(() => over = true);
    await eventually(
      () => `${times} × ${JSON.stringify(text)} in:\n${this.#everything()}`,
      () => {
        if (this.times(text) >= times) return true;
        if (over) throw new Error(`it has ended:\n${this.#everything()}`);
      },
    );
  }

  /** Calls a tool; answers its output. */
  async call(tool: string, input: unknown = {}): Promise<unknown> {
    const message = await this.answer(tool, input);
    if (message.kind === "result") return message.output;
    throw new Error(`${JSON.stringify(message)}\n${this.#everything()}`);
  }

  /** Calls a tool; answers the service's message. */
  async answer(
    tool: string,
    input: unknown = {},
  ): Promise<PackResponse<string>> {
    const { message } = await sendRequest(this, toolRequest(tool, input));
    return message;
  }

  kill(signal: Deno.Signal): void {
    try {
      this.#child.kill(signal);
    } catch {
      // It has ended already.
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const all = await descendantsOf(this.pid);
    this.kill("SIGKILL");
    await untilGone(all);
    await this.ended;
    await Deno.remove(this.#temporary, { recursive: true });
  }

  #everything(): string {
    return `${this.stdout}\n${this.stderr}`;
  }
}

/** Everything that a process has started, and what that has. */
export async function descendantsOf(pid: number): Promise<number[]> {
  const children = await childrenOf(pid);
  const more = await Promise.all(children.map(descendantsOf));
  return [...children, ...more.flat()];
}

/** Waits until none of some processes is there. */
export async function untilGone(pids: readonly number[]): Promise<void> {
  let left = pids;
  await eventually(() => `the end of ${left.join(", ")}`, async () => {
    const alive = await Promise.all(left.map(isAlive));
    left = left.filter((_, at) => alive[at]);
    return left.length === 0 || undefined;
  });
}

/** A pack in a temporary folder, with a tool `acme.greet` that answers `Hello`. */
export class DevPack implements AsyncDisposable {
  /** The folder that the pack's folder lies in. */
  readonly parent: string;

  private constructor(parent: string) {
    this.parent = parent;
  }

  static async write(): Promise<DevPack> {
    const pack = new DevPack(await Deno.makeTempDir());
    await pack.write(
      "kindgi.config.mjs",
      `export default { pack: { id: "acme", version: "1.0.0" } };\n`,
    );
    await pack.write("tools/greet.mjs", toolSource("acme.greet", `"Hello"`));
    return pack;
  }

  get folder(): string {
    return `${this.parent}/pack`;
  }

  /** Writes a file of the pack. */
  async write(path: string, text: string): Promise<void> {
    const file = `${this.folder}/${path}`;
    await Deno.mkdir(file.slice(0, file.lastIndexOf("/")), { recursive: true });
    await Deno.writeTextFile(file, text);
  }

  /** Every file and folder in the pack's folder, with a file's text. */
  async everything(folder = ""): Promise<Record<string, string>> {
    const found: Record<string, string> = {};
    for await (const entry of Deno.readDir(`${this.folder}/${folder}`)) {
      const path = `${folder}${entry.name}`;
      if (entry.isDirectory) {
        found[`${path}/`] = "";
        Object.assign(found, await this.everything(`${path}/`));
      } else {
        found[path] = await Deno.readTextFile(`${this.folder}/${path}`);
      }
    }
    return found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.parent, { recursive: true });
  }
}

/** The module of a tool that answers the value of an expression; `before` are lines that stand before it. */
export function toolSource(id: string, answer: string, before = ""): string {
  return `import process from "node:process";
${before}
export default {
  id: ${JSON.stringify(id)},
  version: "1.0.0",
  description: "Answers",
  effects: [],
  input: {},
  output: {},
  handler: async (input, { log, abortSignal }) => (${answer}),
};
`;
}

async function forEachText(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  take: (text: string) => void,
): Promise<void> {
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    take(text);
  }
}
