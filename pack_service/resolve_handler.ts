/**
 * Finding the handler of a tool, or the function of a check, among the exports of a module.
 *
 * @module
 */
import { isRecord } from "../base/result.ts";
import { isZodSchema, type ZodSchema } from "../base/zod_schema.ts";

/** A tool's function, called without `this`. */
export type Handler = (input: unknown, ctx: unknown) => unknown;

/** A check's function, called without `this`. */
export type Evaluate = (
  config: unknown,
  trace: unknown,
  bindings: CheckBindings,
) => unknown;

/** What a check gets beside its config and the trace. */
export interface CheckBindings {
  /** Aborts when the call's time is up or its caller has gone. */
  readonly abortSignal?: AbortSignal;
}

/** What a tool's module holds for a call. */
export interface ResolvedHandler {
  /** The function to call. */
  readonly handler: Handler;
  /** The Zod schema that parses the input once more, after the JSON Schema. */
  readonly inputZod: ZodSchema | undefined;
}

/**
 * Finds a module's handler: the module itself when it is a function, else the first of `default`, `handler` and `run` that
 * is a function or an object with a function `handler` or `run` (`spec/handler_runtime.md` 2.2). The result envelope that
 * `defineTool` answers counts as what it holds. `undefined` when there is none.
 */
export function resolveHandler(module: unknown): ResolvedHandler | undefined {
  const candidates = exportsOf(module, ["default", "handler", "run"]);
  const handler = asFunction<Handler>(module) ??
    firstOf(candidates, (candidate) =>
      asFunction<Handler>(candidate) ??
        member<Handler>(candidate, "handler") ??
        member<Handler>(candidate, "run"));
  if (handler === undefined) return undefined;
  const inputZod = firstOf(candidates, (candidate) => {
    const schema = isRecord(candidate) ? candidate["inputZod"] : undefined;
    return isZodSchema(schema) ? schema : undefined;
  });
  return { handler, inputZod };
}

/**
 * Finds a module's check: the first of its `evaluate`, `default` and `check` that is a function or an object with a
 * function `evaluate`, else the check inside a guardrail that is the default export (`spec/handler_runtime.md` 2.3). Result
 * envelopes count as what they hold. `undefined` when there is none.
 */
export function resolveCheck(module: unknown): Evaluate | undefined {
  const candidates = exportsOf(module, ["evaluate", "default", "check"]);
  const guardrail = exportsOf(module, ["default"])[0];
  if (isRecord(guardrail)) candidates.push(unwrap(guardrail["check"]));
  return firstOf(
    candidates,
    (candidate) =>
      asFunction<Evaluate>(candidate) ??
        member<Evaluate>(candidate, "evaluate"),
  );
}

/** The named exports that are there, out of their envelopes. */
function exportsOf(module: unknown, names: readonly string[]): unknown[] {
  // CommonJS: a function as a module can carry exports too.
  const holder = module as Record<string, unknown> | null | undefined;
  return names.map((name) => unwrap(holder?.[name])).filter((candidate) =>
    candidate !== undefined && candidate !== null
  );
}

/** What a define helper's `{ kind: 'ok', value }` holds; anything else as it is. */
function unwrap(candidate: unknown): unknown {
  return isRecord(candidate) && candidate["kind"] === "ok" &&
      "value" in candidate
    ? candidate["value"]
    : candidate;
}

function asFunction<F>(value: unknown): F | undefined {
  return typeof value === "function" ? value as F : undefined;
}

function member<F>(candidate: unknown, name: string): F | undefined {
  return isRecord(candidate) ? asFunction<F>(candidate[name]) : undefined;
}

function firstOf<T>(
  candidates: readonly unknown[],
  pick: (candidate: unknown) => T | undefined,
): T | undefined {
  for (const candidate of candidates) {
    const found = pick(candidate);
    if (found !== undefined) return found;
  }
  return undefined;
}
