/**
 * The errors of data blocks.
 *
 * @module
 */

import type { BlockIssue } from "../agent/mod.ts";

/** `validateBlock` found something wrong. */
export interface InvalidBlockError {
  /** The block doesn't hold. */
  readonly code: "invalid-block";
  /** Names the block, how many issues there are, and the first of them. */
  readonly message: string;
  /** Every issue, in the order id, version, description, kind, content. */
  readonly issues: readonly BlockIssue[];
}

/** No version of a block fits what was asked for. */
export interface BlockUnresolvableError {
  /** The tenant has no such block, the range isn't one, or no version satisfies it. */
  readonly code: "block-unresolvable";
  /** Names the block, the range, and the versions there are. */
  readonly message: string;
  /** The block's id. */
  readonly blockId: string;
  /** The range that was asked for. */
  readonly requestedRange?: string;
}

/** Two blocks with one id and version were given to a registry. */
export interface DuplicateBlockError {
  /** A version of a block is one thing. */
  readonly code: "duplicate-block";
  /** Names the id and version. */
  readonly message: string;
  /** The block's id. */
  readonly blockId: string;
  /** Its version. */
  readonly version: string;
}
