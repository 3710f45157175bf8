/**
 * The Kindgi runtime for Deno: everything that a host of packs and agents needs.
 *
 * A pack's author imports `./define` instead, which is light. Processes, stores and model providers have doors of their
 * own, so that a program loads only what it uses.
 *
 * @module
 */

// The pack service, one call in process, the supervisor, the protocol
export * from "./pack_service/mod.ts";

// The indexer
export * from "./indexer/mod.ts";
export * from "./indexer/build_extensions.ts";

// Agents, flows, registries, policies, routing
export * from "./agents/mod.ts";

// Defining tools, checks and guardrails
export * from "./define.ts";

// Names that two doors have: the author's types of `./define` are at that door.
export type {
  CheckBindings,
  CheckKind,
  CheckResult,
  GuardrailAction,
  GuardrailScope,
  RegisteredCheck,
  ToolContext,
  ToolEffect,
} from "./agents/mod.ts";
