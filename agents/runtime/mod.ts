/**
 * The runtime: stores, registries, turns and the worker, wired together.
 *
 * @module
 */

export { openAgentRuntime } from "./open_agent_runtime.ts";
export type {
  AgentRuntime,
  CancelInput,
  InvokeInput,
  OpenAgentRuntimeInput,
  OpenConversation,
  ResumeInput,
  SweepReport,
  WorkInput,
} from "./types.ts";
