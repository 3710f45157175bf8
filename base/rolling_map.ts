/**
 * Keeping what comes and goes.
 *
 * @module
 */

/**
 * A map for values that stay a moment each, for as long as a process lives, and lets go of what is removed.
 *
 * A `Map` that is written all the time makes itself new tables, and V8 has each old one point at the next. The collections
 * that are made often take what an old object points at for alive. Once one table has become old they so keep all tables that
 * came after it, with whatever was removed from them: megabytes that are copied again and again, until a full
 * collection. Here a table only holds an entry, which is emptied when its value is removed.
 *
 * Keys are texts or numbers; an object would be held like any value.
 */
export class RollingMap<Key extends string | number, Value> {
  readonly #entries = new Map<Key, { value: Value | undefined }>();

  /** How many values there are. */
  get size(): number {
    return this.#entries.size;
  }

  /** The value of a key. */
  get(key: Key): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  /** Whether a key has a value. */
  has(key: Key): boolean {
    return this.#entries.has(key);
  }

  /** Gives a key a value. */
  set(key: Key, value: Value): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) this.#entries.set(key, { value });
    else entry.value = value;
  }

  /** Removes a key; answers the value that it had. */
  delete(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    const { value } = entry;
    entry.value = undefined;
    return value;
  }

  /** The values now, in the order in which their keys were first set. */
  values(): Value[] {
    return Array.from(this.#entries.values(), ({ value }) => value as Value);
  }
}
