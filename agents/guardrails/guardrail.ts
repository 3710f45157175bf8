/**
 * What a guardrail is: which check judges whom, and what a violation means.
 *
 * @module
 */

/** What happens when a guardrail's check fails. */
export interface GuardrailAction {
  /**
   * What a violation means. `halt` fails the turn; `log-only` and `noop` are warnings; `retry`, `escalate`, `compensate`
   * and a host's own are reported in `violations` and left to the host.
   */
  readonly "on-violation": string;
  /** For `retry`: how often. */
  readonly retry?: {
    /** 1 to 10. */
    readonly maxAttempts: number;
  };
  /** For `escalate`: who is asked. */
  readonly escalateTo?: string;
  /** For `compensate`: what makes it good. */
  readonly compensateWith?: string;
}

/** Where a guardrail holds; what is absent doesn't narrow it. */
export interface GuardrailScope {
  /** In which kind of run. */
  readonly when?: "always" | "ci-only" | "runtime-only";
  /** For which agents, by id. */
  readonly agents?: readonly string[];
  /** For which flows, by id. */
  readonly flows?: readonly string[];
  /** For which tenants. */
  readonly tenants?: readonly string[];
}

/** How serious a violation is. */
export type GuardrailSeverity = "info" | "warn" | "error" | "critical";

/** A guardrail: data that an agent names by id. */
export interface Guardrail {
  /** Its id. */
  readonly id: string;
  /** How its check judges: `zero-llm`, `llm-judge`, or a host's own. */
  readonly kind: string;
  /** The id of its check. */
  readonly check: string;
  /** What the check is given. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** What a violation means. */
  readonly action: GuardrailAction;
  /** How serious a violation is; `error` when absent. */
  readonly severity?: GuardrailSeverity;
  /** Where it holds; everywhere when absent. */
  readonly scope?: GuardrailScope;
  /** What a judge's model has to be able to do: capabilities, as an agent's. */
  readonly judgeCapabilities?: readonly unknown[];
  /** What a judge may use. */
  readonly budget?: Readonly<Record<string, unknown>>;
  /** What people call it. */
  readonly name?: string;
  /** What it guards against. */
  readonly description?: string;
}

/** Where a turn finds its guardrails. */
export interface GuardrailRegistry {
  /** The guardrail of this id. */
  get(id: string): Guardrail | undefined;
}

/**
 * Makes a guardrail registry in memory.
 *
 * @throws {TypeError} If two guardrails have one id.
 */
export function createGuardrailRegistry(
  guardrails: Iterable<Guardrail> = [],
): GuardrailRegistry {
  const byId = new Map<string, Guardrail>();
  for (const guardrail of guardrails) {
    if (byId.has(guardrail.id)) {
      throw new TypeError(
        `Cannot register guardrail ${
          JSON.stringify(guardrail.id)
        } twice: give each its own id`,
      );
    }
    byId.set(guardrail.id, guardrail);
  }
  return { get: (id) => byId.get(id) };
}
