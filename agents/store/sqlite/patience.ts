/**
 * How long an operation waits while another connection is in the way.
 *
 * @module
 */

import { reasonOf, SqliteStoreError } from "./failures.ts";

/** The first pause and the longest one, in milliseconds. */
const SHORTEST = 1;
const LONGEST = 40;

/** The patience of one operation: pauses that grow, each differing from everybody else's, and an end. */
export class Patience {
  readonly #path: string;
  readonly #waitMs: number;
  readonly #since = performance.now();
  #pause = SHORTEST;

  /** @param waitMs How long it may wait altogether, in milliseconds. */
  constructor(path: string, waitMs: number) {
    this.#path = path;
    this.#waitMs = waitMs;
  }

  /**
   * Waits a little without holding anybody up.
   *
   * @throws {SqliteStoreError} `sqlite-locked` when it has waited long enough.
   */
  async pause(cause: unknown): Promise<void> {
    if (performance.now() - this.#since >= this.#waitMs) {
      throw new SqliteStoreError(
        "sqlite-locked",
        `${this.#path} was locked by another connection for more than ${this.#waitMs} ms (${
          reasonOf(cause)
        }); end whatever holds it, or try again`,
        cause,
      );
    }
    const ms = this.#pause * (0.5 + Math.random());
    this.#pause = Math.min(LONGEST, this.#pause * 2);
    await new Promise((resolve) => setTimeout(resolve, ms));
  }
}
