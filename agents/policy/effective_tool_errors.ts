/**
 * What a turn does with failed tool calls: defaults, the agent's choice, and the tenant's cap.
 *
 * @module
 */

import {
  type Agent,
  TOOL_ERROR_KINDS,
  type ToolErrorKind,
  type ToolErrorsSpec,
} from "../agent/mod.ts";

const DEFAULT_MAX_RETRIES = 1;
const DEFAULT_RETRY_ON: readonly ToolErrorKind[] = [
  "invalid-arguments",
  "unknown-tool",
];

/** Which failed tool calls of a turn go back to the model, everything resolved. */
export interface EffectiveToolErrors {
  /** How many failed calls of the turn at most. */
  readonly maxRetries: number;
  /** Which kinds, in the order of `TOOL_ERROR_KINDS`. */
  readonly retryOn: readonly ToolErrorKind[];
}

/** What it is resolved from. */
export interface EffectiveToolErrorsInput {
  /** The tenant's `tool-errors` policy, or `undefined` for none. */
  readonly tenant: ToolErrorsSpec | undefined;
  /** The agent. */
  readonly agent: Agent;
}

/**
 * Resolves what a turn does with failed tool calls: one retry of `invalid-arguments` and `unknown-tool`, overlaid with
 * the agent's choice, then capped by the tenant: the smaller number, and the kinds that both allow.
 */
export function resolveEffectiveToolErrors(
  { tenant, agent }: EffectiveToolErrorsInput,
): EffectiveToolErrors {
  const own = agent.toolErrors;
  const retryOn = own?.retryOn ?? DEFAULT_RETRY_ON;
  const allowed = tenant?.retryOn ?? TOOL_ERROR_KINDS;
  return {
    maxRetries: Math.min(
      own?.maxRetries ?? DEFAULT_MAX_RETRIES,
      tenant?.maxRetries ?? Infinity,
    ),
    retryOn: TOOL_ERROR_KINDS.filter((kind) =>
      retryOn.includes(kind) && allowed.includes(kind)
    ),
  };
}
