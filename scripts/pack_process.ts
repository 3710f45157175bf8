/**
 * A pack service in a process of its own, as a container or `kindgi dev` runs it.
 *
 * @module
 */
import { fileURLToPath } from "node:url";

/** What to serve, and how. */
export interface PackProcessOptions {
  /** The pack's index. */
  readonly index: string;
  /** The process's whole environment; the token is in it. */
  readonly env: Readonly<Record<string, string>>;
  /** Gets every line that the service and the pack write, standard error's records included. */
  readonly onLine?: (line: string) => void;
}

/** A service that listens. */
export interface PackProcess {
  /** Where it listens. */
  readonly url: string;
  /** Passes a signal on. */
  signal(name: Deno.Signal): void;
  /** Its exit code, once it has ended. */
  readonly ended: Promise<number>;
}

/** A service that ended before it listened. */
export interface PackProcessFailure {
  /** Its exit code. */
  readonly code: number;
  /** What it said was wrong; the last lines where it named no problem. */
  readonly problems: readonly string[];
}

const MAIN = fileURLToPath(new URL("../pack_service/main.ts", import.meta.url));
const CONFIG = fileURLToPath(new URL("../deno.json", import.meta.url));

/** What Deno needs to find its cache, and programs need anywhere. */
const BASICS = [
  "PATH",
  "HOME",
  "TMPDIR",
  "TZ",
  "LANG",
  "DENO_DIR",
  "XDG_CACHE_HOME",
];

/** This process's variables without which nothing runs, and those that `more` takes. */
export function basicEnvironment(
  more: (name: string) => boolean = (name) => name === "KINDGI_CACHE_DIR",
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(Deno.env.toObject())
      .filter(([name]) => BASICS.includes(name) || more(name)),
  );
}

/** Starts a service on 127.0.0.1 and waits until it listens or has ended. */
export async function startPackProcess(
  options: PackProcessOptions,
): Promise<
  | { readonly kind: "ok"; readonly value: PackProcess }
  | { readonly kind: "err"; readonly error: PackProcessFailure }
> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--allow-all",
      "--config",
      CONFIG,
      MAIN,
      "--index",
      options.index,
      "--host",
      "127.0.0.1",
    ],
    clearEnv: true,
    // As JSON, so that the port can be read from the `listening` record.
    env: { ...options.env, KINDGI_LOG_FORMAT: "json" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();

  const tail: string[] = [];
  const problems: string[] = [];
  let listens: (url: string) => void;
  const listening = new Promise<string>((resolve) => listens = resolve);
  const read = Promise.all([
    forEachLine(child.stdout, (line) => options.onLine?.(line)),
    forEachLine(child.stderr, (line) => {
      tail.push(line);
      if (tail.length > 5) tail.shift();
      options.onLine?.(line);
      const record = serviceRecord(line);
      if (record?.event === "listening") {
        listens(`http://127.0.0.1:${record.port}`);
      } else if (Array.isArray(record?.problems)) {
        problems.push(...record.problems.map(String));
      }
    }),
  ]);
  const ended = Promise.all([child.status, read]).then(([{ code }]) => code);

  const first = await Promise.race([listening, ended]);
  if (typeof first === "number") {
    return {
      kind: "err",
      error: { code: first, problems: problems.length > 0 ? problems : tail },
    };
  }
  return {
    kind: "ok",
    value: {
      url: first,
      ended,
      signal(name) {
        try {
          child.kill(name);
        } catch {
          // It has ended already.
        }
      },
    },
  };
}

/** A record of the service itself, or `undefined` for whatever else is on the line. */
export function serviceRecord(
  line: string,
): Readonly<Record<string, unknown>> | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    const record: Record<string, unknown> = JSON.parse(line);
    return record.subsystem === "pack" ? record : undefined;
  } catch {
    return undefined;
  }
}

async function forEachLine(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  take: (line: string) => void,
): Promise<void> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) take(line);
  }
  if (rest !== "") take(rest);
}
