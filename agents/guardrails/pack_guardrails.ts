/**
 * The guardrails of a pack, as guardrails of a turn.
 *
 * @module
 */

import type {
  Guardrail,
  GuardrailAction,
  GuardrailScope,
  GuardrailSeverity,
} from "./guardrail.ts";

/** A guardrail's entry in a pack's `index.json`, the part that a turn uses. */
export interface PackGuardrailEntry {
  /** The guardrail's id; its check's id too when `checkId` is absent. */
  readonly id: string;
  /** How its check judges. */
  readonly kind: string;
  /** The id of its check. */
  readonly checkId?: string;
  /** What its check is given. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** What a violation means. */
  readonly action: GuardrailAction;
  /** How serious a violation is. */
  readonly severity?: string;
  /** Where it holds. */
  readonly scope?: GuardrailScope;
  /** What people call it. */
  readonly name?: string;
}

/** Each guardrail of a pack's index, for `createGuardrailRegistry` (`spec/durability.md`, Packs as tools). */
export function packGuardrails(
  index: { readonly guardrails: readonly PackGuardrailEntry[] },
): Guardrail[] {
  return index.guardrails.map((entry) => {
    const { id, kind, checkId, config, action, severity, scope, name } = entry;
    return {
      id,
      kind,
      check: checkId ?? id,
      action,
      ...(config === undefined ? {} : { config }),
      ...(severity === undefined
        ? {}
        : { severity: severity as GuardrailSeverity }),
      ...(scope === undefined ? {} : { scope }),
      ...(name === undefined ? {} : { name }),
    };
  });
}
