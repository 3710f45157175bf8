/** A pack service as a process of its own, and what it writes. */

import { Caller } from "./caller.ts";
import { DEMO_INDEX, TOKEN } from "./demo_pack.ts";
import { eventually } from "./eventually.ts";
import { SERVICE_COMMAND } from "./service_command.ts";

/** A log record, as parsed from its line. */
export type LogLine = Readonly<Record<string, unknown>>;

/** How to start a service. */
export interface ServiceOptions {
  /** Path of the index; the demo pack's when absent, none named when `null`. */
  readonly index?: string | null;
  /** Arguments after the index and the host. */
  readonly args?: readonly string[];
  /** Variables on top of the token, `PORT=0` and what finding the module cache takes; `undefined` leaves one out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Whether to name `127.0.0.1` as the host; yes when absent. */
  readonly loopback?: boolean;
  /** The program and its first arguments; {@link SERVICE_COMMAND} when absent. */
  readonly command?: readonly string[];
}

/**
 * A service's process. What it prints goes to files, so that nothing of it is open in the test's own process but the
 * wait for its end.
 */
export class ServiceProcess implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #folder: string;
  #stopped: Promise<number> | undefined;
  #exitCode: number | undefined;
  #port: number | undefined;

  private constructor(child: Deno.ChildProcess, folder: string) {
    this.#child = child;
    this.#folder = folder;
    child.status.then(({ code }) => this.#exitCode = code);
  }

  /** Starts one, without waiting for anything. */
  static async spawn(options: ServiceOptions = {}): Promise<ServiceProcess> {
    const { index = DEMO_INDEX, args = [], env = {}, loopback = true } =
      options;
    const command = [
      ...options.command ?? SERVICE_COMMAND,
      ...index === null ? [] : ["--index", index],
      ...loopback ? ["--host", "127.0.0.1"] : [],
      ...args,
    ];
    const folder = await Deno.makeTempDir();
    const script = 'exec "$@" >"$0/stdout" 2>"$0/stderr"';
    const child = new Deno.Command("sh", {
      args: ["-c", script, folder, ...command],
      clearEnv: true,
      env: variables({
        PATH: Deno.env.get("PATH"),
        HOME: Deno.env.get("HOME"),
        XDG_CACHE_HOME: Deno.env.get("XDG_CACHE_HOME"),
        DENO_DIR: Deno.env.get("DENO_DIR"),
        KINDGI_PACK_SERVICE_TOKEN: TOKEN,
        PORT: "0",
        ...env,
      }),
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    return new ServiceProcess(child, folder);
  }

  /** Starts one and waits until it listens. */
  static async start(options: ServiceOptions = {}): Promise<ServiceProcess> {
    const service = await ServiceProcess.spawn(options);
    try {
      const { port } = await service.untilRecord("listening");
      service.#port = port as number;
      return service;
    } catch (error) {
      await service.stop();
      throw error;
    }
  }

  /** Runs one that is expected to end by itself, and answers how it did. */
  static async run(options: ServiceOptions): Promise<EndedService> {
    await using service = await ServiceProcess.spawn(options);
    const code = await service.ended();
    return {
      code,
      stdout: service.stdout(),
      stderr: service.stderr(),
      records: service.records(),
    };
  }

  /** The process id. */
  get pid(): number {
    return this.#child.pid;
  }

  /** The port that it listens on. */
  get port(): number {
    if (this.#port === undefined) throw new Error("it doesn't listen");
    return this.#port;
  }

  /** Calls it. */
  get caller(): Caller {
    return new Caller(`http://127.0.0.1:${this.port}`);
  }

  /** What it has written on standard output so far. */
  stdout(): string {
    return this.#read("stdout");
  }

  /** What it has written on standard error so far. */
  stderr(): string {
    return this.#read("stderr");
  }

  /** The log records among that, those of one event when it is named. */
  records(event?: string): readonly LogLine[] {
    return this.stderr().split("\n").slice(0, -1).flatMap((line) => {
      const record = line.startsWith("{") ? JSON.parse(line) : undefined;
      return record?.subsystem !== undefined &&
          (event === undefined || record.event === event)
        ? [record]
        : [];
    });
  }

  /** Waits for a record of this event that has these fields. */
  untilRecord(event: string, fields: LogLine = {}): Promise<LogLine> {
    return eventually(
      () => `${event} ${JSON.stringify(fields)} in:\n${this.stderr()}`,
      () => {
        const found = this.records(event).find((record) =>
          Object.entries(fields).every(([name, value]) =>
            record[name] === value
          )
        );
        if (found === undefined && this.#exitCode !== undefined) {
          throw new Error(
            `it ended with ${this.#exitCode} and wrote:\n${this.stderr()}`,
          );
        }
        return found;
      },
    );
  }

  /** Sends it a signal. */
  signal(name: Deno.Signal): void {
    this.#child.kill(name);
  }

  /** Waits for its end and answers the exit code; 128 and the signal's number where a signal ended it. */
  ended(): Promise<number> {
    return eventually(
      () => `the end of the service, which wrote:\n${this.stderr()}`,
      () => this.#exitCode,
    );
  }

  /** Tells it to stop, makes sure that it does, and removes its files; answers the exit code. */
  stop(): Promise<number> {
    return this.#stopped ??= this.#stop();
  }

  async #stop(): Promise<number> {
    if (this.#exitCode === undefined) this.signal("SIGTERM");
    try {
      return await this.ended();
    } catch (error) {
      this.signal("SIGKILL");
      throw error;
    } finally {
      await this.#child.status;
      await Deno.remove(this.#folder, { recursive: true });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #read(stream: "stdout" | "stderr"): string {
    try {
      return Deno.readTextFileSync(`${this.#folder}/${stream}`);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return "";
      throw error;
    }
  }
}

/** How a service ended. */
export interface EndedService {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly records: readonly LogLine[];
}

function variables(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]]
    ),
  );
}
