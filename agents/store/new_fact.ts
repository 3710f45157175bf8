/**
 * Taking a fact in: the same in every store.
 *
 * @module
 */

import { frozen } from "../../base/frozen_json.ts";
import { createHash } from "node:crypto";
import { canonicalJson } from "../../base/canonical_json.ts";
import { err, type Result } from "../../base/result.ts";
import type { FactId } from "../agent/mod.ts";
import { mended } from "../conversation/mod.ts";
import type { Fact, FactInput, MemoryError } from "../memory/mod.ts";

/** How many facts are answered when nobody says. */
export const DEFAULT_FACTS = 10;

/**
 * A fresh fact, frozen.
 *
 * @param versionOf The version of a fact of the same tenant, for the one that it supersedes.
 * @throws {TypeError | RangeError} If JSON can't hold it.
 */
export function newFact(
  input: FactInput,
  versionOf: (factId: string) => number | undefined,
  createdAt: string,
): Fact {
  const { content = null, ...rest } = mended(input) as FactInput;
  const replaced = rest.supersedes === undefined
    ? undefined
    : versionOf(rest.supersedes);
  return frozen({
    ...rest,
    content,
    id: crypto.randomUUID() as FactId,
    version: (replaced ?? 0) + 1,
    createdAt,
    contentHash: `sha256:${
      createHash("sha256").update(canonicalJson(content)).digest("hex")
    }`,
  });
}

/** A fact that JSON can't hold. */
export function factRefused(cause: unknown): Result<never, MemoryError> {
  return err({
    code: "persistence-error",
    message: "Cannot remember the fact: it can't be written as JSON",
    cause,
  });
}
