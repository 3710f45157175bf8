/**
 * Defining a pack's tools, checks, guardrails and config. Loads no validator and no platform API.
 *
 * @module
 */
export type { Err, Ok, Result } from "../base/result.ts";
export type { Logger, LogLevel } from "../base/log.ts";
export type { StandardResult, ZodSchema } from "../base/zod_schema.ts";
export type { DefinitionIssue } from "./issues.ts";

// Tools
export { defineTool } from "./tool.ts";
export type {
  DefinedTool,
  ToolDefinitionError,
  ToolManifest,
  ToolSpec,
} from "./tool.ts";
export { EFFECT_KINDS } from "./tool_manifest.ts";
export type {
  EffectKind,
  JsonSchema,
  LimitsDeclaration,
  NetworkDeclaration,
  SchemaLike,
  SchemaOf,
  ToolContext,
  ToolEffect,
  ToolNeeds,
} from "./types.ts";

// Checks
export { CHECK_KINDS, CheckConfigError, defineCheck } from "./check.ts";
export type { CheckSpec, DefinedCheck } from "./check.ts";
export type {
  CheckBindings,
  CheckKind,
  CheckResult,
  CheckTrace,
} from "./types.ts";

// Guardrails
export { defineGuardrail } from "./guardrail.ts";
export type {
  CheckLookup,
  GuardrailAction,
  GuardrailDefinitionError,
  GuardrailScope,
  GuardrailSpec,
  OnViolation,
  RegisteredCheck,
} from "./guardrail.ts";

// Config
export { defineConfig } from "./config.ts";
export type { PackConfig } from "./config.ts";
