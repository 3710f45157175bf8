/**
 * Runs one tool call or one check in this process: validate, import, call, validate (`spec/handler_runtime.md` 2).
 *
 * @module
 */
import type { HandlerOutcome } from "./handler_error.ts";
import type { ModuleImporter } from "./module_import.ts";
import { prepareCheck, type RunnableCheck } from "./prepared_check.ts";
import { prepareHandler, type RunnableTool } from "./prepared_handler.ts";

export type { SchemaIssue } from "../base/json_schema.ts";
export type { Err, Ok, Result } from "../base/result.ts";
export type {
  HandlerError,
  HandlerErrorCode,
  HandlerOutcome,
} from "./handler_error.ts";
export type { ModuleImporter } from "./module_import.ts";
export {
  prepareCheck,
  type PreparedCheck,
  type RunnableCheck,
} from "./prepared_check.ts";
export {
  type PreparedHandler,
  prepareHandler,
  type RunnableTool,
  type RunOptions,
} from "./prepared_handler.ts";

/** One tool call. */
export interface RunHandlerRequest {
  /** The tool and its schemas. */
  readonly tool: RunnableTool;
  /** The input as it came. It is never changed: defaults are filled into a copy. */
  readonly input: unknown;
  /** What the handler gets as its second argument: this very object. */
  readonly ctx: unknown;
  /** Loads the module in the place of `import()`; gets `modulePath` untouched. */
  readonly importHandler?: ModuleImporter;
}

/** One call of a guardrail check. */
export interface RunCheckRequest {
  /** The check and the schema of its config. */
  readonly check: RunnableCheck;
  /** The config as the guardrail declares it; no defaults are filled in. */
  readonly config: unknown;
  /** What is to be judged. */
  readonly trace: unknown;
  /** Handed to the check as `bindings.abortSignal`. */
  readonly abortSignal?: AbortSignal;
  /** Loads the module in the place of `import()`; gets `modulePath` untouched. */
  readonly importCheck?: ModuleImporter;
}

/**
 * Runs one tool call: validates a copy of the input with defaults filled in, imports the module, parses with its Zod schema
 * if it has one, calls the handler, validates the output. `undefined` from a handler is `null`, as it is on the wire.
 *
 * Never rejects; an `err` has one of the codes of {@link HandlerErrorCode}.
 *
 * @example
 * ```ts
 * import { runHandler } from "@kindgi-deno/runtime/pack-service";
 *
 * const outcome = await runHandler({
 *   tool: {
 *     id: "demo.greet",
 *     modulePath: "demo.greet",
 *     inputSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
 *     outputSchema: { type: "string" },
 *   },
 *   input: { name: "Ada" },
 *   ctx: { tenantId: "t-1", runId: "run-1" },
 *   importHandler: () => ({ default: (input: { name: string }) => `Hello, ${input.name}` }),
 * });
 * // outcome: { kind: "ok", value: "Hello, Ada" }
 * ```
 */
export async function runHandler(
  request: RunHandlerRequest,
): Promise<HandlerOutcome> {
  return await prepareHandler(request.tool, request.importHandler)
    .run(request.input, request.ctx);
}

/**
 * Runs one check: validates the config as sent when the check has a config schema, imports the module, calls
 * `evaluate(config, trace, bindings)`. What the check answers is passed on as it is.
 *
 * Never rejects; in an `err` the check's id sits in `toolId`.
 */
export async function runCheck(
  request: RunCheckRequest,
): Promise<HandlerOutcome> {
  return await prepareCheck(request.check, request.importCheck)
    .run(request.config, request.trace, request.abortSignal);
}
