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
