/**
 * How agents' data is kept.
 *
 * @module
 */

// Tables and their JSON columns
export { AGENTS_TENANT_SCOPED_TABLES } from "./tables.ts";
export {
  CURRENT_AGENTS_PAYLOAD_VERSION,
  EnvelopeOpenError,
  unwrap,
  unwrapOrThrow,
  wrap,
} from "./envelope.ts";
export type {
  Envelope,
  EnvelopeError,
  MalformedEnvelopeError,
  UnsupportedPayloadVersionError,
} from "./envelope.ts";

// What a store is
export type {
  AgentStore,
  ProvenanceStore,
  PurgeInput,
  UsageStore,
  UsageTotals,
  UsageTotalsInput,
} from "./contract.ts";

// A store in memory
export { createMemoryStore } from "./memory_store.ts";
export type {
  CreateMemoryStoreInput,
  MemoryAgentStore,
} from "./memory_store.ts";

// For other stores
export { usageTotals } from "./usage_totals.ts";

// What the contract is written in
export type * from "../agent/mod.ts";
export type * from "../approvals/mod.ts";
export type * from "../conversation/mod.ts";
export type * from "../flow/mod.ts";
export type * from "../memory/mod.ts";
export type * from "../provenance/mod.ts";
export type * from "../routing/mod.ts";
