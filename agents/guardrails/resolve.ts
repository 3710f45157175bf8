/**
 * From the ids that an agent names to guardrails.
 *
 * @module
 */

import { err, ok, type Result } from "../../base/result.ts";
import { quoted } from "../agent/mod.ts";
import type { UnresolvedGuardrailError } from "./errors.ts";
import type { Guardrail, GuardrailRegistry } from "./guardrail.ts";

/** Finds the guardrails that an agent names, in its order; the error lists every id that isn't bound. */
export function resolveGuardrails(
  ids: readonly string[],
  registry: GuardrailRegistry | undefined,
): Result<Guardrail[], UnresolvedGuardrailError> {
  const found = ids.map((id) => registry?.get(id));
  const guardrailIds = ids.filter((_, index) => found[index] === undefined);
  if (guardrailIds.length === 0) return ok(found as Guardrail[]);
  return err({
    code: "unresolved-guardrail",
    message: `No guardrail is bound for ${
      guardrailIds.map(quoted).join(", ")
    }: a turn doesn't run without the guardrails that its agent names`,
    guardrailIds,
  });
}
