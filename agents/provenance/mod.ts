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
export { persistProvenance } from "./persist.ts";
export type { PersistedProvenance, ProvenanceBindings } from "./persist.ts";

// Making them
export { createProvenanceBuilder } from "./builder.ts";
export type { ProvenanceBuilder, ProvenanceBuilderOptions } from "./builder.ts";

// Signatures
export { signProvenance, verifyProvenance } from "./sign.ts";
export type { SignedProvenanceRecord } from "./sign.ts";
export { createStaticKeyProvider, generateSigningKey } from "./key_provider.ts";
export type {
  KeyAnswer,
  KeyProvider,
  SigningKey,
  SigningKeyPair,
  VerificationKey,
} from "./key_provider.ts";
export type { ProvenanceError } from "./errors.ts";
