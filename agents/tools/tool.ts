/**
 * What a tool is to a turn, and what it is given when it runs.
 *
 * @module
 */

import type { Logger } from "../../base/log.ts";
import type { JsonSchema } from "../agent/mod.ts";

/** What a tool does to the world, as its author declares it. */
export interface ToolEffect {
  /** The kind of effect. */
  readonly kind:
    | "reads"
    | "writes"
    | "deletes"
    | "network"
    | "spawns-run"
    | "emits-event"
    | "external-side-effect"
    | "sensitive-data-egress";
  /** What it acts on. */
  readonly resource?: string;
}

/** What a tool is given next to its input; an absent field is absent, never `undefined`. */
export interface ToolContext {
  /** Whose turn it is. */
  readonly tenantId: string;
  /** Ends the call: the turn was aborted or its time is up. */
  readonly abortSignal: AbortSignal;
  /** The turn's run. */
  readonly runId: string;
  /** The turn's project; never from the model's arguments. */
  readonly projectId?: string;
  /** The project's organisation. */
  readonly orgId?: string;
  /** The id of this call. */
  readonly requestId?: string;
  /** The same for every attempt at this call, also after a crash: what makes a repeated write safe. */
  readonly idempotencyKey?: string;
  /** When the call has to be done, in milliseconds since 1970. */
  readonly deadlineAt?: number;
  /** The caller's trace, as W3C Trace Context writes it. */
  readonly traceparent?: string;
  /** Whoever the turn acts for. */
  readonly principal?: unknown;
  /** Reads a secret by name. */
  readonly resolveSecret?: (name: string) => Promise<string | undefined>;
  /** Writes log records that carry the call's ids. */
  readonly log: Logger;
  /** The values of the agent's settings blocks, by block id. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Secrets that the tool declared, by name. */
  readonly secrets?: Readonly<Record<string, unknown>>;
  /** Variables that the tool declared, by name. */
  readonly env?: Readonly<Record<string, string>>;
  /** Decides once: the value is journaled under the key, and a resumed run reads it back. */
  readonly record?: <Value>(
    key: string,
    decide: () => Value | Promise<Value>,
  ) => Promise<Value>;
}

/** A tool at one version: what a model may call. */
export interface Tool {
  /** Its id; by convention `<pack>.<name>`. */
  readonly id: string;
  /** Its exact version. */
  readonly version: string;
  /** What it does, for the model. */
  readonly description: string;
  /** What it takes: a JSON Schema of draft 2020-12. */
  readonly input: JsonSchema;
  /** What it gives: a JSON Schema of draft 2020-12. */
  readonly output: JsonSchema;
  /** Does it. A throw or rejection is a failed call. */
  handler(input: unknown, context: ToolContext): unknown;
  /** Whether it changes anything; `true` when absent. What changes nothing is not gated by default. */
  readonly mutating?: boolean;
  /** What it does to the world. */
  readonly effects?: readonly ToolEffect[];
  /** What it needs of its surroundings. */
  readonly needs?: readonly unknown[];
  /** What it needs of secrets and environment, as schemas. */
  readonly needsSpec?: Readonly<Record<string, unknown>>;
  /** How it is reached, for a tool that runs elsewhere. */
  readonly transport?: string;
  /** The sandbox that it asks for. */
  readonly sandbox?: string;
  /** The limits that it asks for. */
  readonly limits?: Readonly<Record<string, unknown>>;
  /** The hosts that it talks to. */
  readonly network?: Readonly<Record<string, unknown>>;
  /** Whatever its author wants to carry. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** A declarative tool's request, instead of code. */
  readonly spec?: Readonly<Record<string, unknown>>;
}
