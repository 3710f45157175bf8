/**
 * Starting the servers that the benches measure.
 *
 * @module
 */

/** The token that every server of the benches takes. */
export const TOKEN = "bench-token";

/** The token of a supervisor, which takes none that could be guessed. */
export const SUPERVISED_TOKEN = "bench-token-bench-token-bench-token";

/** A server that listens. */
export interface BenchServer {
  /** Its process. */
  readonly pid: number;
  /** Its port. */
  readonly port: number;
  /** The port that tells its heap in use, where it has one. */
  readonly heapPort: number;
  /** From its start until it said that it listens, in ms. */
  readonly startedInMs: number;
  /** Ends it. */
  stop(): Promise<void>;
}

/** Starts a server that writes a JSON line with its `port` on standard error once it listens. */
export async function startServer(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  program: string = Deno.execPath(),
): Promise<BenchServer> {
  const from = performance.now();
  const child = new Deno.Command(program, {
    args: [...args],
    env: {
      KINDGI_PACK_SERVICE_TOKEN: TOKEN,
      KINDGI_PACK_SERVICE_MAX_CONCURRENCY: "1000",
      KINDGI_LOG_LEVEL: "warn",
      PORT: "0",
      ...env,
    },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  let port: number | undefined;
  let heapPort = NaN;
  let startedInMs = 0;
  const listening = Promise.withResolvers<void>();
  const read = (async () => {
    let text = "";
    for await (
      const chunk of child.stderr.pipeThrough(new TextDecoderStream())
    ) {
      if (port !== undefined) continue;
      text += chunk;
      const found = /"port":\s*(\d+)/.exec(text);
      if (found === null) continue;
      port = Number(found[1]);
      heapPort = Number(/"heapPort":\s*(\d+)/.exec(text)?.[1]);
      startedInMs = performance.now() - from;
      listening.resolve();
    }
    if (port === undefined) listening.reject(new Error(text));
  })();
  await listening.promise;
  return {
    pid: child.pid,
    port: port!,
    heapPort,
    startedInMs,
    stop: async () => {
      child.kill("SIGTERM");
      await Promise.all([child.status, read]);
    },
  };
}

const root = new URL("../", import.meta.url);

/** The path of a file of this package. */
export function fileOf(path: string): string {
  return new URL(path, root).pathname;
}

/** The fixture pack served by the real process. */
export function startService(
  env: Readonly<Record<string, string>> = {},
  index = "tests/fixtures/demo_pack/index.json",
): Promise<BenchServer> {
  return startServer([
    "run",
    "-A",
    fileOf("pack_service/main.ts"),
    "--host",
    "127.0.0.1",
    "--index",
    fileOf(index),
  ], env);
}

/** A script of `bench/servers/`. */
export function startScript(name: string): Promise<BenchServer> {
  return startServer(["run", "-A", fileOf(`bench/servers/${name}`)]);
}

/** The middle one of some numbers. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}
