/**
 * The checks of a pack that a service runs, as checks of a turn.
 *
 * @module
 */

import { PACK_PROTOCOL_VERSION } from "../../pack_service/protocol.ts";
import type { JsonSchema } from "../agent/mod.ts";
import {
  BUILT_IN_CHECK_IDS,
  type CheckBindings,
  type CheckKind,
  type CheckResult,
  type RegisteredCheck,
  type RunTrace,
} from "../guardrails/mod.ts";
import {
  callPackService,
  type PackServiceAddress,
} from "./pack_service_client.ts";
import { ToolCallError } from "./tool_call_error.ts";

/** A guardrail's entry in a pack's `index.json`, the part that its check is made of. */
export interface PackCheckEntry {
  /** The guardrail's id; its check's id too when `checkId` is absent. */
  readonly id: string;
  /** The id that callers name. */
  readonly checkId?: string;
  /** Whether the check is one of the runtime's own, which no pack serves. */
  readonly checkBuiltIn?: boolean;
  /** How it judges. */
  readonly kind?: string;
  /** JSON Schema of the check's config. */
  readonly configSchema?: JsonSchema;
}

/** A pack's `index.json`, the part that {@link packServiceChecks} uses. */
export interface PackCheckIndex {
  /** The guardrails. */
  readonly guardrails: readonly PackCheckEntry[];
}

/** What {@link packServiceChecks} needs. */
export interface PackServiceChecksOptions extends PackServiceAddress {
  /** The index that the service serves. */
  readonly index: PackCheckIndex;
}

/**
 * Each check that an index ships as a check that calls a pack service over protocol v2: for `createCheckRegistry`.
 *
 * Guardrails that name a built-in check ship none. The deadline is what is left of the turn; a 503 is sent again until then.
 * A service that can't be asked, or answers an error, makes the evaluation fail: under `halt` the turn fails as well.
 */
export function packServiceChecks(
  options: PackServiceChecksOptions,
): RegisteredCheck[] {
  const { index, url, token } = options;
  return index.guardrails.filter(shipsCheck).map((entry) =>
    checkOf(entry, { url, token })
  );
}

function shipsCheck({ id, checkId, checkBuiltIn }: PackCheckEntry): boolean {
  return checkBuiltIn !== true && !BUILT_IN_CHECK_IDS.includes(checkId ?? id);
}

function checkOf(
  entry: PackCheckEntry,
  address: PackServiceAddress,
): RegisteredCheck {
  const id = entry.checkId ?? entry.id;
  const { configSchema } = entry;
  return {
    id,
    kind: (entry.kind ?? "zero-llm") as CheckKind,
    ...(configSchema === undefined ? {} : { configJsonSchema: configSchema }),
    evaluate: (config, trace, bindings) =>
      callCheck(address, id, config, trace, bindings),
  };
}

async function callCheck(
  address: PackServiceAddress,
  id: string,
  config: Readonly<Record<string, unknown>>,
  trace: RunTrace,
  bindings: CheckBindings,
): Promise<CheckResult> {
  const message = await callPackService(address, {
    request: {
      v: PACK_PROTOCOL_VERSION,
      kind: "check-invoke",
      check: { id },
      config,
      trace,
    },
    runId: trace.runId,
    traceparent: bindings.traceparent,
    deadlineAt: bindings.deadlineAt,
    abortSignal: bindings.abortSignal,
  });
  switch (message.kind) {
    case "check-result":
      // What a check answered is looked at by whoever asked, as for a check in this process.
      return message.result as CheckResult;
    case "error":
      throw new ToolCallError(message.code, message.message);
    default:
      throw new ToolCallError(
        "pack-service-failed",
        `${address.url} doesn't answer as a pack service does: a check was called, and a tool's result came`,
      );
  }
}
