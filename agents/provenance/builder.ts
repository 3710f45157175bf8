/**
 * Putting a record together, node by node.
 *
 * @module
 */

import { isoTime } from "../../base/iso_time.ts";
import { frozenJson } from "../../base/frozen_json.ts";
import { nameUuid } from "../../base/name_uuid.ts";
import type { Result } from "../../base/result.ts";
import type { ProvenanceError } from "./errors.ts";
import type { KeyProvider } from "./key_provider.ts";
import {
  PROVENANCE_RECORD_VERSION,
  type ProvenanceEdge,
  type ProvenanceFlowRef,
  type ProvenanceNode,
  type ProvenanceRecord,
} from "./record.ts";
import { type SignedProvenanceRecord, signProvenance } from "./sign.ts";

/** The namespace of records' ids. */
const NAMESPACE = "0f5d3a52-6c0e-5b8e-9c83-3d1f0a6f7b21";

/** What a record is about. */
export interface ProvenanceBuilderOptions {
  /** The run. */
  readonly runId: string;
  /** Whose run. */
  readonly tenantId: string;
  /** When the run began, as ISO 8601; now when absent. A resumed run gives its own, so that its record stays the same. */
  readonly createdAt?: string;
  /** The flow that the run executes. */
  readonly flowRef?: ProvenanceFlowRef;
}

/** Puts a record together. */
export interface ProvenanceBuilder {
  /** The record's id: a UUID that derives from tenant and run. */
  readonly id: string;
  /** The run. */
  readonly runId: string;
  /** Whose run. */
  readonly tenantId: string;
  /** Adds a node. Ids aren't looked at: whoever adds one twice has it twice. */
  addNode(node: ProvenanceNode): void;
  /** Adds a relation between two nodes. */
  addEdge(edge: ProvenanceEdge): void;
  /** The record so far, unsigned: plain JSON, frozen at every level, that later additions don't change. */
  snapshot(): ProvenanceRecord;
  /** The record so far, signed with the tenant's key. */
  finalize(
    keys: KeyProvider,
  ): Promise<Result<SignedProvenanceRecord, ProvenanceError>>;
}

/** Makes a builder (`spec/api.md`, `spec/durability.md`, What a resume needs). */
export function createProvenanceBuilder(
  options: ProvenanceBuilderOptions,
): ProvenanceBuilder {
  const { runId, tenantId, flowRef } = options;
  const { createdAt = isoTime(Date.now()) } = options;
  const id = nameUuid(NAMESPACE, JSON.stringify([tenantId, runId]));
  const nodes: ProvenanceNode[] = [];
  const edges: ProvenanceEdge[] = [];
  const snapshot = (): ProvenanceRecord =>
    Object.freeze({
      id,
      runId,
      tenantId,
      version: PROVENANCE_RECORD_VERSION,
      createdAt,
      ...(flowRef === undefined
        ? {}
        : { flowRef: frozenJson(flowRef) as ProvenanceFlowRef }),
      nodes: Object.freeze([...nodes]),
      edges: Object.freeze([...edges]),
    });
  return {
    id,
    runId,
    tenantId,
    addNode: (node) => void nodes.push(frozenJson(node) as ProvenanceNode),
    addEdge: ({ from, kind, to }) =>
      void edges.push(Object.freeze({ from, kind, to })),
    snapshot,
    finalize: (keys) => signProvenance(snapshot(), keys),
  };
}
