/**
 * Branded strings: ids, versions and times that look alike to JavaScript and must not be mixed up in TypeScript.
 *
 * Brands exist at compile time only and are made by a cast (`"t-1" as TenantId`), as `spec/agents_define.md` 14 says.
 * Functions take ids as plain strings; what they answer carries the brand.
 *
 * @module
 */

/** A value that TypeScript tells apart by name; nothing of it exists at run time. */
export type Brand<Value, Name extends string> = Value & {
  /** The name of the brand; only the compiler sees it. */
  readonly __brand: Name;
};

/** Who owns the data: nothing ever crosses from one tenant to another. */
export type TenantId = Brand<string, "TenantId">;
/** An organisation inside a tenant. */
export type OrgId = Brand<string, "OrgId">;
/** A project inside a tenant. */
export type ProjectId = Brand<string, "ProjectId">;
/** A person who uses a host. */
export type UserId = Brand<string, "UserId">;
/** A thread of facts; a conversation's thread has the conversation's id. */
export type ThreadId = Brand<string, "ThreadId">;
/** A conversation with one agent at one version. */
export type ConversationId = Brand<string, "ConversationId">;
/** A session of a host. */
export type SessionId = Brand<string, "SessionId">;
/** One journaled run of a flow; an agent's turn is one. */
export type RunId = Brand<string, "RunId">;
/** A flow's definition. */
export type FlowId = Brand<string, "FlowId">;
/** A node of a flow, as it stands in journals. */
export type NodeId = Brand<string, "NodeId">;
/** An agent's definition; by convention `<pack>.<name>`. */
export type AgentId = Brand<string, "AgentId">;
/** A tool's definition; by convention `<pack>.<name>`. */
export type ToolId = Brand<string, "ToolId">;
/** A guardrail's definition. */
export type GuardrailId = Brand<string, "GuardrailId">;
/** A policy's document. */
export type PolicyId = Brand<string, "PolicyId">;
/** A pack: what ships tools, guardrails, agents and flows together. */
export type PackId = Brand<string, "PackId">;
/** One remembered fact. */
export type FactId = Brand<string, "FactId">;
/** One provenance record. */
export type ProvenanceId = Brand<string, "ProvenanceId">;
/** One question to a reviewer. */
export type ApprovalId = Brand<string, "ApprovalId">;
/** A person who decides approvals. */
export type ReviewerId = Brand<string, "ReviewerId">;

/** An exact version such as `1.2.0` or `1.2.0-rc.1`: no range, no `v`, no build metadata. */
export type Semver = Brand<string, "Semver">;
/** A moment as ISO 8601 in UTC, ending in `Z`. */
export type Timestamp = Brand<string, "Timestamp">;
/** A length of time in milliseconds. */
export type DurationMs = Brand<number, "DurationMs">;
/** A length of time as ISO 8601, such as `PT30S`. */
export type IsoDuration = Brand<string, "IsoDuration">;
/** The name of a deployment environment, such as `staging`; made by {@link makeEnvName}. */
export type EnvName = Brand<string, "EnvName">;

const ENV_NAME = /^[a-z][a-z0-9-]{0,62}$/;

/**
 * Checks and brands the name of an environment: a lowercase letter, then up to 62 lowercase letters, digits or hyphens.
 *
 * @returns The same text as an {@link EnvName}, or `null` when it isn't one (`spec/agents_define.md` 14).
 */
export function makeEnvName(raw: string): EnvName | null {
  return typeof raw === "string" && ENV_NAME.test(raw) ? raw as EnvName : null;
}

/** Why a deployment gave an agent a version other than the one its author wrote. */
export interface VersionDerivation {
  /** The version that the author wrote. */
  readonly version: Semver;
  /** What made another version necessary. */
  readonly reason: "pins-changed" | "unpinned" | "version-taken";
}
