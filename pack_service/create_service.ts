/**
 * A pack service inside a program: handlers run in the program's own process.
 *
 * @module
 */

import type { RecordLog } from "../base/log.ts";
import { currentEnvironment } from "../base/platform.ts";
import type { PackServiceEvent } from "./events.ts";
import { InProcessExecutor } from "./in_process_executor.ts";
import type { ModuleImporter } from "./module_import.ts";
import type { PackIndex } from "./pack_index.ts";
import { createPackRecords } from "./records.ts";
import { planSandbox } from "./sandbox.ts";
import { TransportService } from "./service.ts";
import type { PackService } from "./service_types.ts";
import { DEFAULT_LIMITS } from "./limits.ts";

/** What {@link createPackService} needs. */
export interface CreatePackServiceOptions {
  /** The pack's index. */
  readonly index: PackIndex;
  /** From a module's path in the index to the path or URL that is imported. */
  readonly resolveModule: (modulePath: string) => string;
  /** The secret that callers send as `kindgi-pack-token`. */
  readonly token: string;
  /** Most calls under way at once; 32 when absent. */
  readonly maxConcurrency?: number;
  /** Longest request body in bytes; 10 MiB when absent. */
  readonly maxBodyBytes?: number;
  /** Longest time in ms that a body may take to arrive; 30 000 when absent. */
  readonly bodyTimeoutMs?: number;
  /** Longest answer in bytes; 64 MiB when absent. */
  readonly maxOutputBytes?: number;
  /** Deadline in ms of a call that names none; 120 000 when absent. */
  readonly defaultTimeoutMs?: number;
  /** Hears of each call's end, of handlers that finish late, and of missing variables. */
  readonly logger?: (event: PackServiceEvent) => void;
  /** Writes the same as records, and what tools write with `ctx.log`. */
  readonly log?: RecordLog;
  /** Where required variables are looked up, once; the process's environment when absent. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Whether missing variables refuse calls (`strict`, the default) or are only told. */
  readonly envCheck?: "strict" | "warn";
  /** Loads a module; the platform's `import()` when absent. */
  readonly importModule?: ModuleImporter;
  /**
   * `off` runs tools that declare a sandbox here all the same. By default a strict tool is refused: nothing in a program
   * can hold what it declares.
   */
  readonly sandbox?: "declared" | "off";
}

/**
 * Makes a pack service for a program to host. It listens to nothing and imports nothing until `prewarm()`.
 *
 * @throws {TypeError} If a tool or check declares `sandbox: 'strict'` and `sandbox` isn't `'off'`, or a declaration is
 * malformed (`spec/executors.md`, In a program and on Node).
 */
export function createPackService(
  options: CreatePackServiceOptions,
): PackService {
  const { index, log, sandbox = "declared" } = options;
  const plan = planSandbox(index, options.resolveModule, sandbox);
  const problem = plan.problems[0] ?? inProgramProblem(plan.own);
  if (problem !== undefined) throw new TypeError(problem);
  const records = log && createPackRecords(log);
  const executor = new InProcessExecutor({
    tools: plan.tools.map(({ isolated: _isolated, ...tool }) => tool),
    checks: plan.checks.map(({ isolated: _isolated, ...check }) => check),
    maxOutputBytes: options.maxOutputBytes ?? DEFAULT_LIMITS.maxOutputBytes,
    importModule: options.importModule,
    logEnabled: (level) => records?.toolEnabled(level) ?? false,
  });
  return new TransportService({
    index,
    token: options.token,
    executor,
    maxConcurrency: options.maxConcurrency ?? DEFAULT_LIMITS.maxConcurrency,
    maxBodyBytes: options.maxBodyBytes ?? DEFAULT_LIMITS.maxBodyBytes,
    bodyTimeoutMs: options.bodyTimeoutMs ?? DEFAULT_LIMITS.bodyTimeoutMs,
    defaultTimeoutMs: options.defaultTimeoutMs ??
      DEFAULT_LIMITS.defaultTimeoutMs,
    env: options.env ?? currentEnvironment(),
    envCheck: options.envCheck ?? "strict",
    logger: options.logger,
    records,
  });
}

/** Why executors of their own can't be had in a program, or `undefined` when none is needed. */
export function inProgramProblem(
  own: readonly { readonly name: string; readonly sandbox: string }[],
): string | undefined {
  const strict = own.find(({ sandbox }) => sandbox === "strict");
  if (strict === undefined) return undefined;
  return `Cannot run ${strict.name} in this process: it declares sandbox "strict", which needs Deno's permissions; run the pack with pack_service/main.ts on Deno, or accept running it without them (sandbox: "off", KINDGI_PACK_SANDBOX=off)`;
}
