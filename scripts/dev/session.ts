/**
 * Developing a pack: index it, serve it, and do both again when it changes, behind one address.
 *
 * @module
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  createPackServiceSupervisor,
  type PackServiceSupervisor,
  type SupervisorEvent,
} from "../../pack_service/mod.ts";
import {
  type Environment,
  readEnvironment,
  serviceEnvironment,
} from "./environment.ts";
import { indexPack } from "./index_pack.ts";
import type { DevLines } from "./printed_lines.ts";
import { type DevSettings, serviceFlags } from "./settings.ts";

const MAIN = fileURLToPath(
  new URL("../../pack_service/main.ts", import.meta.url),
);
const CONFIG = fileURLToPath(new URL("../../deno.json", import.meta.url));

/** What a session works with. */
export interface DevSessionOptions {
  /** What to develop, and how. */
  readonly settings: DevSettings;
  /** This process's environment. */
  readonly env: Environment;
  /** A folder for indexes and whatever else is temporary. */
  readonly temporary: string;
  /** Where it is told what happens. */
  readonly lines: DevLines;
}

/** What became of one change, until its child serves. */
interface Reload {
  /** When it began, on the monotonic clock. */
  readonly since: number;
  /** What the index holds. */
  readonly entries: string;
}

/** One pack under development. */
export class DevSession {
  /** Holds the address, and whatever serves behind it. */
  readonly supervisor: PackServiceSupervisor;
  readonly #options: DevSessionOptions;
  /** Reloads whose child doesn't serve yet, by their index. */
  readonly #reloads = new Map<string, Reload>();
  #indexing = new AbortController();
  #count = 0;
  #hasServed = false;
  #toldWarnings: readonly string[] = [];

  /** Nothing runs or listens yet. */
  constructor(options: DevSessionOptions) {
    this.#options = options;
    const { settings } = options;
    this.supervisor = createPackServiceSupervisor({
      command: [
        Deno.execPath(),
        ...["run", "--allow-all", "--quiet", "--config", CONFIG, MAIN],
        ...serviceFlags(settings),
      ],
      moduleRoot: settings.packDir,
      // As in the pack's image, where the working folder is the pack's.
      cwd: settings.packDir,
      env: async () => serviceEnvironment(await this.#environment()),
      port: settings.port,
      ...(settings.token === undefined ? {} : { token: settings.token }),
      onLog: (line, stream) =>
        stream === "stdout" ? console.log(line) : console.error(line),
      onEvent: (event) => this.#tell(event),
    });
  }

  /** The pack has changed: indexes it anew and swaps the code; a reload that hasn't got so far is given up. */
  changed(paths: readonly string[], nameOf: (path: string) => string): void {
    const [first, ...more] = paths.map(nameOf);
    const rest = more.length === 0 ? "" : ` and ${more.length} more`;
    this.#options.lines.say("info", `changed: ${first}${rest}`);
    this.reload();
  }

  /** Indexes the pack and serves it as it is now. */
  reload(): void {
    this.#indexing.abort();
    const { signal } = this.#indexing = new AbortController();
    this.#reload(signal).catch((error: unknown) => {
      if (signal.aborted) return;
      const reason = error instanceof Error ? error.message : String(error);
      this.#failed("not indexed", [reason]);
    });
  }

  /** Ends everything; calls under way may finish. */
  async close(): Promise<void> {
    this.supervisor.beginClose();
    this.#indexing.abort();
    await this.supervisor.close();
  }

  async #reload(signal: AbortSignal): Promise<void> {
    const { settings, temporary } = this.#options;
    const since = performance.now();
    const build = ++this.#count;
    const indexPath = join(temporary, `index-${build}.json`);
    const indexed = await indexPack({
      packDir: settings.packDir,
      output: indexPath,
      artifactVersion: `dev.${build}`,
      grants: settings.grants,
      env: await this.#environment(),
      temporary,
      signal,
      onOutput: (line) => console.error(line),
    });
    if (signal.aborted) return;
    if (indexed.kind === "err") {
      return this.#failed("not indexed", indexed.error);
    }
    const { entries, warnings } = indexed.value;
    for (const warning of warnings) {
      if (!this.#toldWarnings.includes(warning)) {
        this.#options.lines.say("warn", warning);
      }
    }
    this.#toldWarnings = warnings;
    this.#reloads.set(indexPath, { since, entries });
    if (settings.inspect !== undefined) {
      // Two processes can't have the debugger's port at once.
      await this.supervisor.stop();
      if (signal.aborted) return;
    }
    // What comes of it is an event, and one that is superseded is none.
    await this.supervisor.start(indexPath);
    this.#reloads.delete(indexPath);
  }

  async #environment(): Promise<Environment> {
    const { settings, env } = this.#options;
    const environment = await readEnvironment(settings.envFiles, env);
    if (environment.kind === "ok") return environment.value;
    throw new Error(environment.error);
  }

  #tell(event: SupervisorEvent): void {
    const { lines } = this.#options;
    switch (event.kind) {
      case "started": {
        const reload = this.#reloads.get(event.indexPath);
        if (reload === undefined) return lines.say("info", "restarted");
        this.#reloads.delete(event.indexPath);
        const ms = Math.round(performance.now() - reload.since);
        const what = this.#hasServed ? "swapped: now serving" : "serving";
        this.#hasServed = true;
        return lines.say("info", `${what} ${reload.entries} (${ms} ms)`);
      }
      case "boot-failed":
        return this.#failed("not started", event.problems);
      case "exited":
        return lines.say(
          "error",
          `the pack service ended unasked (${
            event.signal ?? `exit code ${event.code}`
          })`,
        );
      case "restarting":
        return lines.say("info", `restarting, attempt ${event.attempt}`);
      case "gave-up":
        return lines.say(
          "error",
          `gave up after ${event.attempts} attempts: nothing serves until a file changes`,
        );
      case "log":
        return lines.record(event.event);
    }
  }

  #failed(what: string, problems: readonly string[]): void {
    const { lines } = this.#options;
    for (const problem of problems) lines.say("error", `${what}: ${problem}`);
    // A crashed child's next attempt follows by itself.
    if (what === "not started" && this.#reloads.size === 0) return;
    const serves = this.supervisor.relay.serving();
    lines.say(
      "warn",
      serves
        ? "the code from before goes on serving"
        : "nothing serves until a file changes",
    );
  }
}
