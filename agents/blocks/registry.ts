/**
 * Data blocks in memory, read by range.
 *
 * @module
 */

import { err, ok, type Result } from "../../base/result.ts";
import {
  type BlockDefinition,
  compareVersions,
  pickVersion,
  quoted,
} from "../agent/mod.ts";
import type { BlockUnresolvableError, DuplicateBlockError } from "./errors.ts";

/** Which block is asked for. */
export interface BlockRequest {
  /** Who asks. */
  readonly tenantId: string;
  /** The block's id. */
  readonly id: string;
  /** An npm range; the exact version of a journal or pin is one too. */
  readonly range: string;
}

/** Where a turn reads data blocks from; a host's own may answer later. */
export interface BlockReader {
  /** The highest version that satisfies the range. */
  resolve(
    request: BlockRequest,
  ):
    | Result<BlockDefinition, BlockUnresolvableError>
    | Promise<Result<BlockDefinition, BlockUnresolvableError>>;
}

/** Data blocks in memory, the same for every tenant. */
export interface BlockRegistry extends BlockReader {
  /** Adds a block; a version of a block is added once. */
  register(block: BlockDefinition): Result<void, DuplicateBlockError>;
  /** The highest version that satisfies the range. */
  resolve(
    request: BlockRequest,
  ): Result<BlockDefinition, BlockUnresolvableError>;
  /** Every block at every version, in the order they were added. */
  list(): BlockDefinition[];
}

/**
 * Makes a block registry.
 *
 * @throws {TypeError} If two of the blocks have one id and version.
 */
export function createBlockRegistry(
  blocks: Iterable<BlockDefinition> = [],
): BlockRegistry {
  const registry = new MemoryBlockRegistry();
  for (const block of blocks) {
    const added = registry.register(block);
    if (added.kind === "err") throw new TypeError(added.error.message);
  }
  return registry;
}

class MemoryBlockRegistry implements BlockRegistry {
  readonly #blocks: BlockDefinition[] = [];

  register(block: BlockDefinition): Result<void, DuplicateBlockError> {
    const { id, version } = block;
    if (this.#versionsOf(id).some((known) => known.version === version)) {
      return err({
        code: "duplicate-block",
        message: `Cannot register block ${quoted(id)}: version ${
          quoted(version)
        } is registered already; give it a new version`,
        blockId: id,
        version,
      });
    }
    this.#blocks.push(block);
    return ok(undefined);
  }

  resolve(
    request: BlockRequest,
  ): Result<BlockDefinition, BlockUnresolvableError> {
    const { id, range } = request;
    const candidates = this.#versionsOf(id);
    const versions = candidates.map((block) => block.version);
    const picked = pickVersion(versions, range);
    const block = picked.kind === "ok"
      ? candidates.find((block) => block.version === picked.value)
      : undefined;
    if (block !== undefined) return ok(block);
    const reason = picked.kind === "invalid-range"
      ? "that is not a version range"
      : versions.length === 0
      ? "there is no such block"
      : `there are ${
        versions.sort((a, b) => compareVersions(b, a)).join(", ")
      }`;
    return err({
      code: "block-unresolvable",
      message: `Cannot resolve block ${quoted(id)} at ${
        quoted(range)
      }: ${reason}`,
      blockId: id,
      requestedRange: range,
    });
  }

  list(): BlockDefinition[] {
    return [...this.#blocks];
  }

  #versionsOf(id: string): BlockDefinition[] {
    return this.#blocks.filter((block) => block.id === id);
  }
}
