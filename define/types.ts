/**
 * What a pack's author writes and gets: contexts, schemas, declarations.
 *
 * @module
 */
import type { JsonSchema } from "../base/definition.ts";
import type { Logger } from "../base/log.ts";
import type { StandardResult } from "../base/zod_schema.ts";

export type { JsonSchema };

/** A schema of a library such as Zod, seen through its Standard Schema door; `Value` is what it parses to. */
export interface SchemaLike<Value> {
  /** The Standard Schema interface. */
  readonly "~standard": {
    /** The library's name. */
    readonly vendor: string;
    /** Parses a value. */
    readonly validate: (
      value: unknown,
    ) => StandardResult | Promise<StandardResult>;
    /** The types that go in and come out; only the compiler looks here. */
    readonly types?:
      | { readonly input: unknown; readonly output: Value }
      | undefined;
  };
}

/** How an author gives a schema: Zod 4, or JSON Schema. */
export type SchemaOf<Value> = SchemaLike<Value> | JsonSchema;

/** What a tool's handler gets beside its input. */
export interface ToolContext {
  /** The tenant. */
  readonly tenantId: string;
  /** The run that the call belongs to. */
  readonly runId: string;
  /** The tenant's project. */
  readonly projectId?: string;
  /** The tenant's organisation. */
  readonly orgId?: string;
  /** The request within the run. */
  readonly requestId?: string;
  /** A UUID that stays the same when the call is repeated: give it to whatever must happen only once. */
  readonly idempotencyKey?: string;
  /** Values of the agent's settings: block id → values. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Values of the variables that the tool declares in `needsSpec.env`. */
  readonly env?: Readonly<Record<string, string>>;
  /** Values of the secrets that the tool declares in `needsSpec.secrets`; hidden from spreading, JSON and the console. */
  readonly secrets?: Readonly<Record<string, unknown>>;
  /** Aborts when the call's time is up or its caller has gone; pass it on to whatever may take long. */
  readonly abortSignal: AbortSignal;
  /** Writes log records that carry the call's ids; secrets are masked. */
  readonly log: Logger;
  /** Whatever a newer runtime sends. */
  readonly [field: string]: unknown;
}

/** What a tool may do to the world. */
export type EffectKind =
  | "reads"
  | "writes"
  | "deletes"
  | "network"
  | "spawns-run"
  | "emits-event"
  | "external-side-effect"
  | "sensitive-data-egress";

/** One effect of a tool. */
export interface ToolEffect {
  /** What it does. */
  readonly kind: EffectKind;
  /** To what. */
  readonly resource?: string;
}

/** What a tool needs from its surroundings. */
export interface ToolNeeds {
  /** JSON Schema of the secrets, as one object. */
  readonly secrets?: JsonSchema;
  /** JSON Schema of the environment, as one object of strings; defaults must be strings. */
  readonly env?: JsonSchema;
  /** Whatever a runtime understands beside these. */
  readonly [need: string]: unknown;
}

/** What may be reached over the network. */
export type NetworkDeclaration =
  | { readonly kind: "none" }
  | { readonly kind: "unrestricted" }
  | {
    readonly kind: "allowlist";
    /** `name`, `name:port`, an IP address, or `*.name`. */
    readonly hosts: readonly string[];
  };

/** How much a call may use; holds with `sandbox: "strict"`. */
export interface LimitsDeclaration {
  /** Memory in MiB, at least 16. */
  readonly memMB?: number;
  /** Processor time in milliseconds, at least 1. */
  readonly cpuMs?: number;
  /** Whatever a runtime understands beside these. */
  readonly [limit: string]: unknown;
}

/** What a check may ask a value for. */
export type CheckKind = "zero-llm" | "llm-judge" | "external";

/** What happened in the run that a check judges. */
export interface CheckTrace {
  /** The final answer; JSON when it is an object. */
  readonly output?: string;
  /** The tools that were called, in order. */
  readonly toolCalls?: readonly {
    readonly toolId: string;
    readonly toolName?: string;
    readonly arguments?: unknown;
    readonly at?: string;
  }[];
  /** What they answered. */
  readonly toolResults?: readonly {
    readonly toolCallId?: string;
    readonly output?: unknown;
    readonly at?: string;
  }[];
  /** What the user had said. */
  readonly userInput?: unknown;
  /** Whatever else the runtime tells. */
  readonly [field: string]: unknown;
}

/** What a check gets beside its config and the trace. */
export interface CheckBindings {
  /** Aborts when the call's time is up or its caller has gone. */
  readonly abortSignal?: AbortSignal;
  /** What a host inside the runtime's process gives beside it. */
  readonly [binding: string]: unknown;
}

/** A check's verdict. */
export interface CheckResult {
  /** Whether what was judged may pass. */
  readonly passed: boolean;
  /** Why not, for people. */
  readonly reason?: string;
  /** Further findings. */
  readonly attributes?: Readonly<Record<string, unknown>>;
  /** Whatever a host keeps beside these, such as a judge's answer. */
  readonly [field: string]: unknown;
}
