/**
 * A writable environment for pack code. Under `--ignore-env` setting a variable silently does nothing, which breaks code
 * that sets one and reads it back; so reads and writes go to a copy that only this process sees.
 *
 * @module
 */

/** The part of a runtime's environment object that is replaced. */
export interface EnvironmentDoor {
  /** Reads a variable. */
  get(name: string): string | undefined;
  /** Sets a variable. */
  set(name: string, value: string): void;
  /** Whether a variable is set. */
  has(name: string): boolean;
  /** Removes a variable. */
  delete(name: string): void;
  /** All of them. */
  toObject(): Record<string, string>;
}

/**
 * Lays the overlay over `Deno.env`, starting from what it holds now; `process.env` reads and writes through it. Call it
 * before the first pack module is imported (`spec/executors.md`, Environment inside).
 */
export function overlayEnvironment(door: EnvironmentDoor): void {
  const values = new Map(Object.entries(door.toObject()));
  const replacement: EnvironmentDoor = {
    get: (name) => values.get(String(name)),
    set: (name, value) => void values.set(String(name), String(value)),
    has: (name) => values.has(String(name)),
    delete: (name) => void values.delete(String(name)),
    toObject: () => Object.fromEntries(values),
  };
  for (const [name, value] of Object.entries(replacement)) {
    Object.defineProperty(door, name, { value, configurable: true });
  }
}
