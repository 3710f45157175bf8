/**
 * The registry in which guardrails find their checks.
 *
 * @module
 */

import { err, ok, type Result } from "../../base/result.ts";
import { quoted } from "../agent/mod.ts";
import { BUILT_IN_CHECKS } from "./built_in_checks.ts";
import type { RegisteredCheck } from "./check.ts";

/** There is a check of this id. */
export interface DuplicateCheckError {
  /** Ids of checks are unique, those of the built-in ones included. */
  readonly code: "duplicate-check";
  /** Names the id, and whether it is a built-in's. */
  readonly message: string;
  /** The id. */
  readonly checkId: string;
}

/** Checks by id. */
export interface CheckRegistry {
  /** Adds a check; the built-in ones can't be replaced. */
  register(check: RegisteredCheck): Result<void, DuplicateCheckError>;
  /** The check of this id. */
  get(id: string): RegisteredCheck | undefined;
  /** Whether there is a check of this id. */
  has(id: string): boolean;
  /** Every check: the built-in ones, then the others in the order they were added. */
  list(): RegisteredCheck[];
}

/** Makes a check registry that has the seven built-in checks. */
export function createCheckRegistry(): CheckRegistry {
  return new MemoryCheckRegistry();
}

class MemoryCheckRegistry implements CheckRegistry {
  readonly #checks = new Map<string, RegisteredCheck>(
    BUILT_IN_CHECKS.map((check) => [check.id, check]),
  );

  register(check: RegisteredCheck): Result<void, DuplicateCheckError> {
    const { id } = check;
    if (this.has(id)) {
      const builtIn = BUILT_IN_CHECKS.some((known) => known.id === id);
      return err({
        code: "duplicate-check",
        message: `Cannot register check ${quoted(id)}: ${
          builtIn
            ? "the id belongs to a built-in check"
            : "it is registered already"
        }; give it another id, such as <pack>.checks.<name>`,
        checkId: id,
      });
    }
    this.#checks.set(id, check);
    return ok(undefined);
  }

  get(id: string): RegisteredCheck | undefined {
    return this.#checks.get(id);
  }

  has(id: string): boolean {
    return this.#checks.has(id);
  }

  list(): RegisteredCheck[] {
    return [...this.#checks.values()];
  }
}
