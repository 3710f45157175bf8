/**
 * What a check is: a function that judges a turn by its trace.
 *
 * @module
 */

import type { JsonSchema } from "../agent/mod.ts";
import type { RunTrace } from "./trace.ts";

/** How a check judges: from the trace alone, by asking a model, or somewhere else. */
export type CheckKind = "zero-llm" | "llm-judge" | "external";

/** A check's verdict. */
export interface CheckResult {
  /** Whether what was judged may pass. */
  readonly passed: boolean;
  /** Why not. */
  readonly reason?: string;
  /** What a judge wrote. */
  readonly judgeResponse?: string;
  /** Further findings. */
  readonly attributes?: Readonly<Record<string, unknown>>;
}

/** What a check is given next to its config and the trace. */
export interface CheckBindings {
  /** Ends the evaluation. */
  readonly abortSignal?: AbortSignal;
  /** When the evaluation has to be done, in milliseconds since 1970. */
  readonly deadlineAt?: number;
  /** The caller's trace, as W3C Trace Context writes it. */
  readonly traceparent?: string;
  /** Whatever a host gives beside it. */
  readonly [binding: string]: unknown;
}

/** A check that guardrails can name. */
export interface RegisteredCheck {
  /** Its id. */
  readonly id: string;
  /** How it judges; a guardrail's kind has to agree. */
  readonly kind: CheckKind;
  /**
   * Judges a turn, at once or later.
   *
   * A throw or rejection means that it couldn't judge: under `halt` that fails the turn too (`spec/decisions.md` 25).
   */
  evaluate(
    config: Readonly<Record<string, unknown>>,
    trace: RunTrace,
    bindings: CheckBindings,
  ): CheckResult | Promise<CheckResult>;
  /** What its config has to look like. */
  readonly configJsonSchema?: JsonSchema;
  /** What is wrong with a config that the schema can't say, in one sentence. */
  validateConfig?(
    config: Readonly<Record<string, unknown>>,
  ): string | undefined;
}
