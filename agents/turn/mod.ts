/**
 * Turns: one journaled run from a user's message to the answer.
 *
 * @module
 */

// Starting and resuming
export { invokeAgent } from "./invoke_agent.ts";
export { resumeAgentTurn } from "./resume_agent_turn.ts";
export { checkTurnInput } from "./turn_input.ts";
export type { TurnAnswer } from "./turn_outcome.ts";
export type {
  AgentTurnResponse,
  AgentTurnResult,
  AgentTurnUsage,
  InvokeAgentInput,
  PendingApproval,
  ResumeAgentTurnInput,
  TurnWarning,
} from "./types.ts";
export type { InvokeAgentBindings, TurnUsageSink } from "./bindings.ts";

// Events
export type {
  AgentMessageEvent,
  GuardrailErrorEvent,
  GuardrailViolatedEvent,
  ModelCallCompletedEvent,
  ModelCallStartedEvent,
  OnTurnEvent,
  RetrievalCompletedEvent,
  ToolCompletedEvent,
  ToolEventBase,
  ToolFailedEvent,
  ToolStartedEvent,
  TurnCompletedEvent,
  TurnEvent,
  TurnEventBase,
  TurnFailedEvent,
  TurnStartedEvent,
} from "./events.ts";

// Errors
export type {
  AgentTurnAbortedError,
  AuthorizationUnavailableError,
  BudgetExceededError,
  CapabilityRoutingError,
  HitlCancelledError,
  HitlRejectedError,
  HitlRequiredError,
  HitlWithdrawnError,
  IdempotencyKeyConflictError,
  InvokeAgentError,
  OutputSchemaViolationError,
  RateLimitExceededError,
  RunJournalUnavailableError,
  RunSnapshotMissingError,
  RunSnapshotUnreadableError,
  UnresolvableToolVersionError,
} from "./errors.ts";
export { parseFailureMessage, turnFailureMessage } from "./failure.ts";

// The flow
export {
  AGENT_LOOP_NODE,
  AGENT_TURN_FLOW,
  AGENT_TURN_FLOW_ID,
  AGENT_TURN_FLOW_VERSION,
  AGENT_TURN_LOOP_MAX_ITERATIONS,
  BUDGET_CHECK_NODE,
  BUILD_INITIAL_MESSAGES_NODE,
  COMPOSE_RESULT_NODE,
  DISPATCH_TOOLS_NODE,
  EVALUATE_GUARDRAILS_NODE,
  MODEL_CALL_NODE,
  PERSIST_FINAL_MESSAGE_NODE,
  PERSIST_PROVENANCE_NODE,
  PERSIST_USER_MESSAGE_NODE,
  RENDER_PROMPT_NODE,
  RUN_RETRIEVALS_NODE,
  SETUP_NODE,
} from "./flow.ts";

// Steps usable on their own
export { evaluateSessionGate } from "./session_gate.ts";
export type { SessionGateResult } from "./session_gate.ts";
export { hashToolArgs } from "./approval_tokens.ts";

// For whoever keeps approvals and runs going
export { openGates, pendingApprovals, reconcileWaits } from "./open_gates.ts";
export type { GateRecord } from "./ask_for_approval.ts";
export { APPROVAL_WITHDRAWN_REASON } from "./gate_decision.ts";
