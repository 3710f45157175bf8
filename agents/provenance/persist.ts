/**
 * The end of a turn's record: signed where there are keys, kept where that is asked for (`spec/agents_turn.md` 14.3).
 *
 * @module
 */

import { err, ok, type Result } from "../../base/result.ts";
import { reasonOf } from "../agent/mod.ts";
import type { ProvenanceBuilder, ProvenanceBuilderOptions } from "./builder.ts";
import type {
  ProvenanceEmitBinding,
  ProvenanceEmitContext,
} from "./emit_binding.ts";
import type { ProvenanceError } from "./errors.ts";
import type { KeyProvider } from "./key_provider.ts";
import type { ProvenanceRecord } from "./record.ts";

/** What a host binds for provenance. */
export interface ProvenanceBindings {
  /** Makes a turn's builder, such as `createProvenanceBuilder`; without it a turn has no provenance. */
  readonly newBuilder?: (
    options: ProvenanceBuilderOptions,
  ) => ProvenanceBuilder;
  /** Whether finished records are kept. */
  readonly emit?: boolean;
  /** Where they are kept. */
  readonly emitBinding?: ProvenanceEmitBinding;
  /** The keys that sign them; without them they stay unsigned. */
  readonly keyProvider?: KeyProvider;
}

/** A turn's finished record. */
export interface PersistedProvenance {
  /** The record, signed where there are keys. */
  readonly record: ProvenanceRecord;
  /** Whether it was kept; `false` where that isn't asked for. */
  readonly persisted: boolean;
}

/** Finishes a turn's record. Whatever throws beneath is an error: an answer that is stored isn't lost over its proof. */
export async function persistProvenance(
  builder: ProvenanceBuilder,
  bindings: ProvenanceBindings,
  context: ProvenanceEmitContext,
): Promise<Result<PersistedProvenance, ProvenanceError>> {
  const { emit, emitBinding, keyProvider } = bindings;
  try {
    const finished = keyProvider === undefined
      ? ok(builder.snapshot())
      : await builder.finalize(keyProvider);
    if (finished.kind === "err") return finished;
    const record: ProvenanceRecord = finished.value;
    if (emit !== true) return ok({ record, persisted: false });
    if (emitBinding === undefined) {
      return err({
        code: "emit-binding-missing",
        message:
          "Cannot keep the turn's provenance: emit is true, and no emitBinding is bound",
      });
    }
    const kept = await emitBinding.emit(record, context);
    return kept.kind === "ok"
      ? ok({ record, persisted: true })
      : err(emitFailed(kept.error));
  } catch (thrown) {
    return err(emitFailed(thrown));
  }
}

function emitFailed(cause: unknown): ProvenanceError {
  return {
    code: "emit-failed",
    message: `Cannot keep the turn's provenance: ${reasonOf(cause)}`,
    cause,
  };
}
