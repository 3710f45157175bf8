/**
 * Two definitions that can't stand side by side in one index.
 *
 * @module
 */
import type { IndexEntry } from "./entry_fields.ts";
import type { PrimitiveKind } from "./kinds.ts";

/** An entry that was taken first. */
interface Taken {
  readonly version: string | undefined;
  readonly path: string;
}

/** Remembers which ids and versions are taken, and by which file. */
export class TakenIds {
  readonly #taken = new Map<string, Taken[]>();

  /**
   * Takes an entry's id and version, or answers the file that has them already.
   *
   * Entries of one kind and id stand in each other's way when their versions are equal or when either has none; guardrails
   * have no versions (`spec/handler_runtime.md` 7.5).
   */
  take(
    kind: PrimitiveKind,
    entry: IndexEntry,
    path: string,
  ): string | undefined {
    const key = `${kind} ${entry.id}`;
    const version = kind === "guardrail" ? undefined : entry.version;
    const others = this.#taken.get(key) ?? [];
    const first = others.find((other) =>
      other.version === undefined || version === undefined ||
      other.version === version
    );
    if (first) return first.path;
    others.push({ version, path });
    this.#taken.set(key, others);
    return undefined;
  }
}
