/**
 * Runs a pack's calls where the pack is loaded: from a request's bytes to its answer's bytes.
 *
 * The same code runs in a program and in an executor's process; what differs is who listens (`CallHost`).
 *
 * @module
 */

import type { LogLevel } from "../base/log.ts";
import type { CallAbort } from "./call_abort.ts";
import { answerOf, type CallTargetId } from "./call_answer.ts";
import { describeThrown } from "./causes.ts";
import type { BegunCall, CallAnswer, ExecutorProblem } from "./executor.ts";
import type { HandlerOutcome } from "./handler_error.ts";
import type { ModuleImporter } from "./module_import.ts";
import { type ModulesImporter, PackModules } from "./pack_modules.ts";
import { callContext, callIds } from "./call_context.ts";
import { prepareCheck, type PreparedCheck } from "./prepared_check.ts";
import { type PreparedHandler, prepareHandler } from "./prepared_handler.ts";
import {
  type CheckInvokeRequest,
  packError,
  type PackErrorMessage,
  parsePackRequest,
  type ToolInvokeRequest,
} from "./protocol.ts";
import { failure } from "./error_answer.ts";
import { readMessage } from "./request_bytes.ts";
import type { ToolLogSink } from "./tool_log.ts";

/** A tool as the runner needs it. */
export interface RunnerTool {
  /** The tool's id. */
  readonly id: string;
  /** Its version, where it has one. */
  readonly version?: string;
  /** The file that loads. */
  readonly modulePath: string;
  /** JSON Schema of the input. */
  readonly inputSchema: unknown;
  /** JSON Schema of the output. */
  readonly outputSchema: unknown;
  /** The executor of its own that runs it instead of this one. */
  readonly isolated?: string;
}

/** A check as the runner needs it. */
export interface RunnerCheck {
  /** The check's id. */
  readonly id: string;
  /** The file that loads. */
  readonly modulePath: string;
  /** JSON Schema of the config, where it has one. */
  readonly configSchema?: unknown;
  /** The executor of its own that runs it instead of this one. */
  readonly isolated?: string;
}

/** What {@link PackRunner} needs. */
export interface PackRunnerOptions {
  /** The pack's tools. */
  readonly tools: readonly RunnerTool[];
  /** The pack's checks. */
  readonly checks: readonly RunnerCheck[];
  /** Longest answer in bytes. */
  readonly maxOutputBytes: number;
  /** Loads a module; the platform's `import()` when absent. */
  readonly importModule?: ModuleImporter | undefined;
  /** Loads many modules at once, or rejects; one by one when absent. */
  readonly importTogether?: ModulesImporter | undefined;
  /** Which levels of `ctx.log` are written. */
  readonly logEnabled: (level: LogLevel) => boolean;
  /** Adds the way out to the message of a denied permission. */
  readonly wayOut?: ((message: string) => string | undefined) | undefined;
  /** CPU time of this process in ms, where a limit holds. */
  readonly cpuMs?: (() => number) | undefined;
}

/** Who listens to a call. */
export interface CallHost {
  /** Pack code runs next; a promise is waited for first. */
  begun(call: BegunCall): Promise<void> | undefined;
  /** The call named something that isn't there: known so that it can be recorded, but nothing will run. */
  named(call: BegunCall): void;
  /** The call belongs to another executor; nothing else will be said about it. */
  isolated(executor: string): void;
  /** A line of `ctx.log`. */
  log(level: LogLevel, message: string, fields: object | undefined): void;
  /** The answer. */
  answered(answer: CallAnswer): void;
}

interface LoadedTool {
  readonly tool: RunnerTool;
  readonly prepared: PreparedHandler;
}

interface LoadedCheck {
  readonly check: RunnerCheck;
  readonly prepared: PreparedCheck;
}

/** A pack that is loaded in this process. */
export class PackRunner {
  readonly #tools = new Map<string, LoadedTool[]>();
  readonly #checks = new Map<string, LoadedCheck>();
  readonly #modules: PackModules;
  readonly #options: PackRunnerOptions;

  /** Imports nothing yet; see {@link PackRunner.prewarm}. */
  constructor(options: PackRunnerOptions) {
    this.#options = options;
    const { importModule, importTogether } = options;
    this.#modules = new PackModules(importModule, importTogether);
    for (const tool of options.tools) {
      const versions = this.#tools.get(tool.id) ?? [];
      const prepared = prepareHandler(tool, this.#modules.get);
      versions.push({ tool, prepared });
      this.#tools.set(tool.id, versions);
    }
    for (const check of options.checks) {
      const prepared = prepareCheck(check, this.#modules.get);
      this.#checks.set(check.id, { check, prepared });
    }
  }

  /**
   * Imports every module that runs here, tools first, in their order; answers those that failed.
   */
  async prewarm(): Promise<ExecutorProblem[]> {
    const { tools, checks } = this.#options;
    const here = [
      ...tools.map((tool) => ({ ...tool, target: { toolId: tool.id } })),
      ...checks.map((check) => ({ ...check, target: { checkId: check.id } })),
    ].filter(({ isolated }) => isolated === undefined);
    await this.#modules.loadTogether(here.map(({ modulePath }) => modulePath));
    const problems: ExecutorProblem[] = [];
    for (const { id, modulePath, target } of here) {
      const reason = await this.#import(modulePath);
      if (reason === undefined) continue;
      problems.push({ message: `${id}: ${reason}`, ...target });
    }
    return problems;
  }

  async #import(modulePath: string): Promise<string | undefined> {
    try {
      await this.#modules.load(modulePath);
      return undefined;
    } catch (thrown) {
      return this.#withWayOut(describeThrown(thrown));
    }
  }

  /** Runs one call; `abort` gives the handler's abort signal. */
  call(body: Uint8Array, abort: CallAbort, host: CallHost): void {
    const message = readMessage(body);
    if (message.kind === "err") {
      const text = `Cannot read the message: ${message.error}`;
      return host.answered(failure(packError("malformed-message", text)));
    }
    const request = parsePackRequest(message.value);
    if (request.kind === "err") return host.answered(failure(request.error));
    if (request.value.kind === "invoke") {
      this.#callTool(request.value, abort, host);
    } else {
      this.#callCheck(request.value, abort, host);
    }
  }

  #callTool(
    request: ToolInvokeRequest,
    abort: CallAbort,
    host: CallHost,
  ): void {
    const { id, version } = request.tool;
    const ids = callIds(request.ctx);
    const found = this.#findTool(id, version);
    if ("code" in found) {
      host.named({ target: "tool", id, ids });
      return host.answered(failure(found));
    }
    const { tool, prepared } = found;
    if (tool.isolated !== undefined) return host.isolated(tool.isolated);
    const ctx = callContext(request.ctx, abort, this.#logSink(host));
    this.#run(
      {
        target: "tool",
        id,
        ...(tool.version === undefined ? {} : { version: tool.version }),
        ids,
      },
      host,
      () => prepared.run(request.input, ctx, { ownsInput: true }),
      (outcome) => this.#answer(outcome, { toolId: id }),
    );
  }

  #callCheck(
    request: CheckInvokeRequest,
    abort: CallAbort,
    host: CallHost,
  ): void {
    const { id } = request.check;
    const found = this.#checks.get(id);
    const begun: BegunCall = { target: "check", id, ids: {} };
    if (found === undefined) {
      host.named(begun);
      const text =
        `Cannot run check "${id}": the pack has no check with this id`;
      return host.answered(
        failure(packError("check-not-in-pack", text, { checkId: id })),
      );
    }
    const { check, prepared } = found;
    if (check.isolated !== undefined) return host.isolated(check.isolated);
    this.#run(
      begun,
      host,
      () => prepared.run(request.config, request.trace, abort.signal),
      (outcome) => this.#answer(outcome, { checkId: id }),
    );
  }

  #run(
    begun: BegunCall,
    host: CallHost,
    run: () => HandlerOutcome | Promise<HandlerOutcome>,
    answer: (outcome: HandlerOutcome) => CallAnswer,
  ): void {
    const { cpuMs } = this.#options;
    const waiting = host.begun(
      cpuMs === undefined ? begun : { ...begun, cpuMs: cpuMs() },
    );
    const outcome = waiting === undefined ? run() : waiting.then(run);
    if (outcome instanceof Promise) {
      outcome.then((settled) => host.answered(answer(settled)));
    } else {
      host.answered(answer(outcome));
    }
  }

  #findTool(
    id: string,
    version: string | undefined,
  ): LoadedTool | PackErrorMessage {
    const versions = this.#tools.get(id);
    if (versions === undefined) {
      const text = `Cannot run tool "${id}": the pack has no tool with this id`;
      return packError("tool-not-in-pack", text, { toolId: id });
    }
    if (version === undefined) {
      if (versions.length === 1) return versions[0]!;
      return packError(
        "tool-version-mismatch",
        `Cannot run tool "${id}": the pack has the versions ${
          listVersions(versions)
        } and the call named none`,
        { toolId: id },
      );
    }
    const found = versions.find(({ tool }) => tool.version === version);
    return found ?? packError(
      "tool-version-mismatch",
      `Cannot run tool "${id}" ${version}: the pack has ${
        versions.length === 1 ? "the version" : "the versions"
      } ${listVersions(versions)}`,
      { toolId: id },
    );
  }

  #logSink(host: CallHost): ToolLogSink {
    return {
      enabled: this.#options.logEnabled,
      write: (level, message, fields) => host.log(level, message, fields),
    };
  }

  #answer(outcome: HandlerOutcome, target: CallTargetId): CallAnswer {
    return answerOf(
      outcome,
      target,
      this.#options.maxOutputBytes,
      (message) => this.#withWayOut(message),
    );
  }

  #withWayOut(message: string): string {
    const wayOut = this.#options.wayOut?.(message);
    return wayOut === undefined ? message : `${message}. ${wayOut}`;
  }
}

function listVersions(versions: readonly LoadedTool[]): string {
  return versions.map(({ tool }) => tool.version ?? "unversioned").join(", ");
}
