/** What the supervisor's tests share: packs to run, calls through a front, and a look at the processes left. */

import { readFile } from "node:fs/promises";
import process from "node:process";
import {
  createPackServiceSupervisor,
  type PackServiceSupervisor,
  type PackServiceSupervisorOptions,
  type SupervisorEvent,
} from "../../../pack_service/supervisor/supervisor.ts";
import { PYTHON_PACK, type TestPack } from "./packs.ts";

/** Longest wait for anything that should happen; generous, since it only ends a test that has failed. */
const PATIENCE_MS = 60_000;

/** A pack in a temporary folder, and a supervisor for it. */
export interface Bench {
  /** The pack's folder. */
  readonly folder: string;
  readonly supervisor: PackServiceSupervisor;
  /** The front's URL. */
  readonly url: string;
  readonly events: EventLog;
  /** Lines of the pack's own output, `stdout: …` or `stderr: …`. */
  readonly output: string[];
  /** Writes an index with this version; answers its path. */
  readonly index: (
    version: string,
    extra?: Record<string, unknown>,
  ) => Promise<string>;
  /** Calls a tool through the front. */
  call(tool: string, input?: unknown, init?: RequestInit): Promise<Answer>;
}

/** An answer through the front. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** Runs a test with a supervisor of a pack; whatever happens it is closed and its folder removed. */
export async function withSupervisor(
  options: Partial<PackServiceSupervisorOptions>,
  test: (bench: Bench) => Promise<void>,
  pack: TestPack = PYTHON_PACK,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  const events = new EventLog();
  const output: string[] = [];
  const supervisor = createPackServiceSupervisor({
    command: pack.command,
    moduleRoot: folder,
    env: () => pack.env,
    restartDelayMs: 20,
    onEvent: (event) => events.add(event),
    onLog: (line, stream) => output.push(`${stream}: ${line}`),
    ...options,
  });
  try {
    const { url } = await supervisor.listen();
    await test({
      folder,
      supervisor,
      url,
      events,
      output,
      index: (version, extra) => pack.writeIndex(folder, version, extra),
      call: (tool, input, init) =>
        callTool(url, supervisor.token, tool, input, init),
    });
  } finally {
    await supervisor.close();
    await Deno.remove(folder, { recursive: true });
  }
}

/** Calls a tool over HTTP. */
export async function callTool(
  url: string,
  token: string,
  tool: string,
  input: unknown = {},
  init: RequestInit = {},
): Promise<Answer> {
  const response = await fetch(`${url}/v1/invoke`, {
    method: "POST",
    body: JSON.stringify({
      v: 2,
      kind: "invoke",
      tool: { id: tool },
      input,
      ctx: { tenantId: "t-1", runId: "run-1" },
    }),
    ...init,
    headers: {
      "content-type": "application/json",
      "kindgi-pack-token": token,
      ...init.headers as Record<string, string>,
    },
  });
  return {
    status: response.status,
    headers: response.headers,
    body: await response.json(),
  };
}

/** The output of a call that answered with a result. */
export function outputOf(answer: Answer): Record<string, unknown> {
  const { kind, output } = answer.body as { kind?: string; output?: unknown };
  if (answer.status !== 200 || kind !== "result") {
    throw new Error(`expected a result, got ${Deno.inspect(answer)}`);
  }
  return output as Record<string, unknown>;
}

/** The events of a supervisor, in order. */
export class EventLog {
  readonly all: SupervisorEvent[] = [];
  readonly #waiting = new Set<() => void>();

  add(event: SupervisorEvent): void {
    this.all.push(event);
    for (const look of this.#waiting) look();
  }

  /** The events about children, without what they log. */
  get lifecycle(): SupervisorEvent[] {
    return this.all.filter((event) => event.kind !== "log");
  }

  /** The records of a kind that children wrote. */
  records(kind: string): Record<string, unknown>[] {
    return this.all.flatMap((event) =>
      event.kind === "log" && event.event.kind === kind ? [event.event] : []
    );
  }

  /** Waits until what has happened satisfies the condition. */
  until(condition: (log: EventLog) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(look);
        reject(
          new Error(`not within reason: ${Deno.inspect(this.lifecycle)}`),
        );
      }, PATIENCE_MS);
      const look = (): void => {
        if (!condition(this)) return;
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }

  /** Waits until events of this kind have happened so many times. */
  count(kind: SupervisorEvent["kind"], times: number): Promise<void> {
    return this.until(({ all }) =>
      all.filter((event) => event.kind === kind).length >= times
    );
  }
}

/** Waits until a condition holds, looking again and again. */
export async function eventually(
  condition: () => boolean | Promise<boolean>,
): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!await condition()) {
    if (Date.now() > end) throw new Error("the condition never held");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Whether a process runs; one that has ended but was never waited for (in a container without an init) doesn't. */
export async function isRunning(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8");
    return !["Z", "X"].includes(stat.slice(stat.lastIndexOf(")") + 2)[0]!);
  } catch {
    // No /proc on this system, or it went just now.
    return Deno.build.os !== "linux";
  }
}
