/**
 * What an agent is: plain data that can be stored, versioned and pinned.
 *
 * @module
 */

import type { Capability } from "./capability.ts";
import type {
  ReviewerRole,
  ToolHitlMode,
  ToolHitlRule,
} from "./hitl_levels.ts";
import type { AgentId, Semver, VersionDerivation } from "./ids.ts";
import type { ToolErrorsSpec } from "./tool_errors.ts";
import type { JsonSchema } from "../../base/definition.ts";
import type { ZodSchema } from "../../base/zod_schema.ts";

export type { JsonSchema };

/** A value that a template reads by name and that the caller of a turn gives. */
export interface PromptParameter {
  /** The name in the template; none of the reserved ones (`AUTO_INJECTED_VARS`). */
  readonly name: string;
  /** What it is for. */
  readonly description?: string;
  /** What kind of value is meant: documentation for callers, not checked at render time. */
  readonly type: "string" | "number" | "boolean" | "date";
  /** Whether a turn fails without it; `true` when absent, unless there is a default. */
  readonly required?: boolean;
  /** The value when the caller gives none. */
  readonly default?: string | number | boolean;
}

/** A tool that an agent may call. */
export interface ToolRef {
  /** The tool's id. */
  readonly id: string;
  /** An npm range such as `^1.2.0`, resolved against the tenant's tools when a turn starts. */
  readonly version: string;
}

/** A data block that an agent uses. */
export interface BlockRef {
  /** The block's id: dotted, lowercase. */
  readonly id: string;
  /** An npm range such as `^1.0.0`. */
  readonly version: string;
}

/** Instructions kept in a prompt block: its template and its parameters are used. */
export interface PromptRef {
  /** The prompt block's id: dotted, lowercase. */
  readonly prompt: string;
  /** An npm range such as `^1.0.0`. */
  readonly version: string;
}

/** Which facts, or which earlier messages, go into the prompt. */
export interface RetrievalIntent {
  /** Where to look: remembered facts (when absent) or earlier conversations. */
  readonly source?: "facts" | "conversations";
  /** Which types of fact; required for facts, not allowed for conversations. */
  readonly types?: readonly string[];
  /** Whose messages; for conversations only, `["user"]` when absent. */
  readonly roles?: readonly ("user" | "agent")[];
  /**
   * How far to look. Facts: `same-conversation`, `same-user`, `same-project`, `tenant`. Conversations: `same-user`,
   * `same-conversation`, `same-segment`, `same-project`.
   */
  readonly scope:
    | "same-conversation"
    | "same-user"
    | "same-project"
    | "same-segment"
    | "tenant";
  /** How many per type at most; 10 when absent. */
  readonly limit?: number;
  /** How to match the user's message; absent lists the newest without matching. */
  readonly mode?: "keyword" | "semantic" | "both";
}

/** What an agent reads from memory as instructions, and what it may remember. */
export interface AgentMemory {
  /** Types of fact whose verified entries are policies of the system message. */
  readonly instructionTypes?: readonly string[];
  /** Lets the model write facts of these types. */
  readonly remember?: {
    /** Which types, one at least. */
    readonly types: readonly string[];
    /** Who sees them. */
    readonly scope:
      | "same-user"
      | "same-conversation"
      | "same-project"
      | "tenant";
    /** Days until they expire: 1 to 3650, 30 when absent. */
    readonly keepDays?: number;
  };
}

/** When a person has to agree. */
export interface HitlPolicy {
  /** Completed turns of a conversation after which each turn asks; comes before `hitlAfterTurns`. */
  readonly afterTurns?: number;
  /** Which tool calls ask; without it none does, unless the tenant says so. */
  readonly tools?: {
    /** The mode of a tool that has no override. */
    readonly default?: ToolHitlMode;
    /** Per tool id: a mode, or a mode with the role it needs. */
    readonly overrides?: Readonly<Record<string, ToolHitlMode | ToolHitlRule>>;
  };
  /** The role that decides where a rule names none; `standard` when absent. */
  readonly defaultReviewerRole?: ReviewerRole;
  /** Milliseconds that each tier of reviewers has; 24 hours when absent. */
  readonly timeoutMs?: number;
  /** What happens then: the question moves up one tier, and past `admin` the turn fails. The only choice. */
  readonly onTimeout?: "escalate";
}

/** How conversations with the agent are kept. */
export interface ConversationPolicy {
  /** How many prior messages go into the prompt. */
  readonly historyLimit?: number;
  /** Seconds without a message after which a host closes the conversation. */
  readonly autoCloseAfterInactiveSeconds?: number;
  /** Completed turns after which each turn asks a reviewer; the older form of `hitl.afterTurns`. */
  readonly hitlAfterTurns?: number;
  /** When a person has to agree. */
  readonly hitl?: HitlPolicy;
}

/** What a turn may use. */
export interface TurnBudget {
  /** Model calls; a turn's default is 8. */
  readonly maxSteps?: number;
  /** US dollars; no cap when absent. */
  readonly maxCostUsd?: number;
  /** Milliseconds; a turn's default is 120 000. */
  readonly maxWallMs?: number;
}

/** A typed final answer. */
export interface AgentOutput {
  /** The JSON Schema (draft 2020-12) that the answer fits. */
  readonly schema: JsonSchema;
  /** What the answer is called; `output` when absent. */
  readonly name?: string;
  /** How often the model may mend an answer that doesn't fit; 1 when absent. */
  readonly maxRepairs?: number;
}

/** Exact versions of everything an agent names by range: id to version. */
export interface AgentPins {
  /** Tools. */
  readonly tools: Readonly<Record<string, string>>;
  /** Prompt blocks. */
  readonly prompts: Readonly<Record<string, string>>;
  /** Settings blocks. */
  readonly settings: Readonly<Record<string, string>>;
}

/**
 * An agent at one version: plain, JSON-serialisable data without closures (`spec/agents_define.md` 2.1).
 *
 * `defineAgent` makes one. A field that the author left out is absent. `pins`, `pinsDigest` and `derivedFrom` are set
 * by a deployment, never by an author.
 */
export interface Agent {
  /** Who it is; by convention `<pack>.<name>`. */
  readonly id: AgentId;
  /** Its exact version. */
  readonly version: Semver;
  /** What people call it. */
  readonly name: string;
  /** What it is for. */
  readonly description?: string;
  /** What it is told: a LiquidJS template, or the prompt block that holds one. */
  readonly instructions: string | PromptRef;
  /** The parameters of the template; absent next to a {@link PromptRef}, whose block declares them. */
  readonly parameters?: readonly PromptParameter[];
  /** What it needs from a model; a turn routes on the first entry. */
  readonly capabilities: readonly Capability[];
  /** The tools it may call. */
  readonly tools: readonly ToolRef[];
  /** What is looked up before the model is called. */
  readonly retrieval: readonly RetrievalIntent[];
  /** What it reads from memory as instructions, and what it may remember. */
  readonly memory?: AgentMemory;
  /** The guardrails that judge its final answer, by id. */
  readonly guardrails: readonly string[];
  /** Settings blocks that its template reads. */
  readonly settings?: readonly BlockRef[];
  /** The settings block that holds `temperature` and `maxOutputTokens`. */
  readonly modelSettings?: BlockRef;
  /** The provider to prefer where it fits: a hint, never a constraint. */
  readonly preferredProvider?: string;
  /** The model to prefer where it fits: a hint, never a constraint. */
  readonly preferredModel?: string;
  /** A typed final answer. */
  readonly output?: AgentOutput;
  /** Which failed tool calls go back to the model. */
  readonly toolErrors?: ToolErrorsSpec;
  /** How conversations are kept, and when a person has to agree. */
  readonly conversationPolicy?: ConversationPolicy;
  /** What a turn may use. */
  readonly budget?: TurnBudget;
  /** Words to find it by. */
  readonly tags?: readonly string[];
  /** The exact versions that a deployment resolved; these win over ranges. */
  readonly pins?: AgentPins;
  /** The digest of `pins` (`pinsDigest`). */
  readonly pinsDigest?: string;
  /** The author's version that a deployment derived this one from, and why. */
  readonly derivedFrom?: VersionDerivation;
}

/** What an author gives as a typed answer: as {@link AgentOutput}, and the schema may be one of Zod 4. */
export interface AgentOutputSpec {
  /** A Zod 4 schema, converted as output, or a JSON Schema of draft 2020-12. */
  readonly schema: ZodSchema | JsonSchema;
  /** What the answer is called; `output` when absent. */
  readonly name?: string;
  /** How often the model may mend an answer that doesn't fit; 1 when absent. */
  readonly maxRepairs?: number;
}

/** What an author writes: the fields of {@link Agent}, with plain strings for `id` and `version`. */
export interface DefineAgentSpec extends
  Omit<
    Agent,
    "id" | "version" | "output" | "pins" | "pinsDigest" | "derivedFrom"
  > {
  /** Who it is; by convention `<pack>.<name>`. */
  readonly id: string;
  /** Its exact version: `1.2.0` or `1.2.0-rc.1`. */
  readonly version: string;
  /** A typed final answer; Zod is converted and stored as JSON Schema. */
  readonly output?: AgentOutputSpec;
}
