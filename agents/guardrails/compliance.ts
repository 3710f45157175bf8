/**
 * Where violations are told for compliance.
 *
 * @module
 */

import type { EvaluationResult } from "./outcome.ts";

/** A guardrail's violation, whatever its action. */
export interface ComplianceRecord extends EvaluationResult {
  /** Whose turn. */
  readonly tenantId: string;
  /** The turn's run. */
  readonly runId: string;
  /** The project. */
  readonly projectId?: string;
  /** The agent. */
  readonly agentId?: string;
  /** The conversation. */
  readonly conversationId?: string;
}

/** Hears of violations. */
export interface ComplianceSink {
  /** Keeps a record. A throw or rejection makes the guardrail's evaluation an error: a violation isn't lost silently. */
  record(record: ComplianceRecord): void | Promise<void>;
}
