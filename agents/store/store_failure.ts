/**
 * What stores answer when what they keep things in fails.
 *
 * @module
 */

import type { PersistenceError } from "../agent/mod.ts";
import type { JournalError } from "../flow/mod.ts";

/** How the failures of a database are put into words. */
export interface StoreFailures {
  /** What a store answers when something can't be read or written. */
  persistenceError(doing: string, thrown: unknown): PersistenceError;
  /** What a journal answers when something can't be read or written. */
  journalError(doing: string, thrown: unknown): JournalError;
}

/** Answers for a database, by what it makes of something thrown. */
export function storeFailures(
  reasonOf: (thrown: unknown) => string,
): StoreFailures {
  const failed = (doing: string, cause: unknown) => ({
    message: `Cannot ${doing}: ${reasonOf(cause)}`,
    cause,
  });
  return {
    persistenceError: (doing, thrown) => ({
      code: "persistence-error",
      ...failed(doing, thrown),
    }),
    journalError: (doing, thrown) => ({
      code: "journal-error",
      ...failed(doing, thrown),
    }),
  };
}
