/**
 * What keeps a command from starting.
 *
 * @module
 */

/** A command can't do its work; the message says what couldn't be done, to what, and why. */
export class CannotStart extends Error {
  /** The class's name, as for every error. */
  override readonly name = "CannotStart";
}

/** What was thrown, as text. */
export function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
