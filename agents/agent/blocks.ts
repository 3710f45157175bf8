/**
 * Data blocks as an agent meets them: a prompt or a set of values kept and versioned outside the agent.
 *
 * @module
 */

import type { DefinitionIssue } from "./issues.ts";
import type { JsonSchema, PromptParameter } from "./types.ts";

/** The kinds of data block, in this order. */
export const BLOCK_KINDS = ["prompt", "settings"] as const;

/** One of {@link BLOCK_KINDS}. */
export type BlockKind = (typeof BLOCK_KINDS)[number];

/** What a prompt block holds: instructions and the parameters they declare. */
export interface PromptBlockContent {
  /** The instructions: a LiquidJS template. */
  readonly template: string;
  /** The parameters of the template, as an agent's own. */
  readonly parameters?: readonly PromptParameter[];
}

/** What a settings block holds: values that templates read as `settings["<block id>"].<key>`. */
export interface SettingsBlockContent {
  /** The values. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The JSON Schema (draft 2020-12) that the values fit; `x-kindgi-tunable` marks what may be tuned. */
  readonly schema?: JsonSchema;
}

/** A prompt at one version. */
export interface PromptBlock {
  /** A dotted lowercase id such as `acme.intake`. */
  readonly id: string;
  /** An exact version without a prerelease. */
  readonly version: string;
  /** Marks a prompt. */
  readonly kind: "prompt";
  /** The template and its parameters. */
  readonly content: PromptBlockContent;
  /** What the block is for. */
  readonly description?: string;
}

/** A set of values at one version. */
export interface SettingsBlock {
  /** A dotted lowercase id such as `acme.weights`. */
  readonly id: string;
  /** An exact version without a prerelease. */
  readonly version: string;
  /** Marks a set of values. */
  readonly kind: "settings";
  /** The values and their schema. */
  readonly content: SettingsBlockContent;
  /** What the block is for. */
  readonly description?: string;
}

/** A data block, told apart by `kind`. */
export type BlockDefinition = PromptBlock | SettingsBlock;

/** One thing that is wrong with a block or a drafted template, with its place. */
export type BlockIssue = DefinitionIssue;

const BLOCK_ID = /^[a-z0-9][a-z0-9-]*(\.[a-z0-9][a-z0-9-]*)+$/;

/** Whether a value is the id of a data block: dotted, lowercase, two segments or more. */
export function isBlockId(value: unknown): value is string {
  return typeof value === "string" && BLOCK_ID.test(value);
}
