/**
 * What proves how an answer came about: a graph of what happened, and a signature over it (`spec/agents_turn.md` 14).
 *
 * @module
 */

/** What a node stands for. */
export type ProvenanceNodeKind =
  | "input"
  | "memory-read"
  | "retrieval"
  | "model-call"
  | "tool-call"
  | "tool-result"
  | "model-output"
  | "guardrail-check"
  | "wait"
  | "resume"
  | "memory-write";

/** How one node relates to another. */
export type ProvenanceEdgeKind =
  | "caused-by"
  | "influenced-by"
  | "retrieved-from"
  | "invoked"
  | "produced"
  | "waited-on"
  | "resumed-from";

/** Something that happened in a turn. */
export interface ProvenanceNode {
  /** Its id in the record, such as `model-call:1`. */
  readonly id: string;
  /** What it stands for. */
  readonly kind: ProvenanceNodeKind;
  /** When it happened, as ISO 8601. */
  readonly timestamp: string;
  /** Who did it, where somebody did. */
  readonly actor?: string;
  /** A digest of the content that it stands for. */
  readonly contentHash?: string;
  /** For what a model did: `<provider>/<model>`. */
  readonly modelVersion?: string;
  /** Whatever else is known: JSON. */
  readonly attributes?: Readonly<Record<string, unknown>>;
}

/** A relation; both ends are ids of nodes in the same record. */
export interface ProvenanceEdge {
  /** The node that the relation starts at: what came later, as a rule. */
  readonly from: string;
  /** The node that it leads to. */
  readonly to: string;
  /** How they relate. */
  readonly kind: ProvenanceEdgeKind;
}

/** The flow that a run executed. */
export interface ProvenanceFlowRef {
  /** The flow's id. */
  readonly id: string;
  /** The flow's version. */
  readonly version: string;
}

/** A signature over a record. */
export interface ProvenanceSignature {
  /** The only algorithm: Ed25519 (RFC 8032). */
  readonly algorithm: "ed25519";
  /** The key that verifies it. */
  readonly keyId: string;
  /** The signature itself, base64. */
  readonly value: string;
  /** When it was made, as ISO 8601; not itself covered. */
  readonly signedAt: string;
}

/** The version of the record's shape. */
export const PROVENANCE_RECORD_VERSION = "1.0.0";

/** How a turn came to its answer. */
export interface ProvenanceRecord {
  /** Its id: derived from tenant and run, so that a resumed run has the same. */
  readonly id: string;
  /** The run. */
  readonly runId: string;
  /** Whose run. */
  readonly tenantId: string;
  /** The version of this shape: {@link PROVENANCE_RECORD_VERSION}. */
  readonly version: string;
  /** When it was begun, as ISO 8601. */
  readonly createdAt: string;
  /** The flow that the run executed. */
  readonly flowRef?: ProvenanceFlowRef;
  /** What happened, in order. */
  readonly nodes: readonly ProvenanceNode[];
  /** How it hangs together. */
  readonly edges: readonly ProvenanceEdge[];
  /** Absent on a record that nobody signed. */
  readonly signature?: ProvenanceSignature;
}
