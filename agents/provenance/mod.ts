/**
 * Provenance: how an answer came about, signed.
 *
 * @module
 */

// Records
export { PROVENANCE_RECORD_VERSION } from "./record.ts";
export type {
  ProvenanceEdge,
  ProvenanceEdgeKind,
  ProvenanceFlowRef,
  ProvenanceNode,
  ProvenanceNodeKind,
  ProvenanceRecord,
  ProvenanceSignature,
} from "./record.ts";

// Keeping them
export type {
  ProvenanceEmitBinding,
  ProvenanceEmitContext,
} from "./emit_binding.ts";
