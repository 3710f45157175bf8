/**
 * The issues of one definition while it is being checked.
 *
 * @module
 */

import { isRecord } from "../../base/result.ts";
import type { DefinitionIssue } from "./issues.ts";

/** Collects issues; a place that couldn't be copied is reported once, with that reason. */
export class IssueList {
  readonly #issues: DefinitionIssue[] = [];
  readonly #unreported: Map<string, string>;

  /** @param unheld Places that the copy of the definition doesn't hold, with the reason. */
  constructor(unheld: ReadonlyMap<string, string>) {
    this.#unreported = new Map(unheld);
  }

  /** Adds what a rule found; where the value couldn't be held, the reason for that stands instead. */
  add(path: string, message: string): void {
    const unheld = this.#unreported.get(path);
    this.#unreported.delete(path);
    this.#issues.push({ path, message: unheld ?? message });
  }

  /** Adds an issue unless the claim is true and the value at the place was held; answers whether all is well. */
  require(claim: boolean, path: string, message: string): boolean {
    const fine = claim && !this.#unreported.has(path);
    if (!fine) this.add(path, message);
    return fine;
  }

  /** The object at a place that may be empty; anything else there is an issue, and answers `undefined`. */
  optionalRecord(
    value: unknown,
    path: string,
    message: string,
  ): Record<string, unknown> | undefined {
    const fine = this.require(
      value === undefined || isRecord(value),
      path,
      message,
    );
    return fine && isRecord(value) ? value : undefined;
  }

  /** Every issue: what the rules found, in their order, then what no rule looked at. */
  all(): DefinitionIssue[] {
    const rest = [...this.#unreported].map(([path, message]) => ({
      path,
      message,
    }));
    return [...this.#issues, ...rest];
  }
}
