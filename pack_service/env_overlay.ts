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
 * Lays the overlay over `process.env` and `Deno.env`, starting from what they hold now. Call it before the first pack
 * module is imported (`spec/executors.md`, Environment inside).
 */
export function overlayEnvironment(
  process: { env: Record<string, string | undefined> },
  door: EnvironmentDoor,
): void {
  const values = new Map(Object.entries(door.toObject()));
  process.env = environmentObject(values);
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

/** `process.env` as Node has it: values become strings, and every listing shows what is set. */
function environmentObject(
  values: Map<string, string>,
): Record<string, string | undefined> {
  return new Proxy<Record<string, string | undefined>>(Object.create({}), {
    get: (target, name) =>
      typeof name === "symbol" || !values.has(name)
        ? Reflect.get(target, name)
        : values.get(name),
    set: (_target, name, value) => {
      if (typeof name === "symbol") return false;
      values.set(name, String(value));
      return true;
    },
    has: (target, name) =>
      typeof name === "string" && values.has(name) || Reflect.has(target, name),
    deleteProperty: (_target, name) => {
      if (typeof name === "string") values.delete(name);
      return true;
    },
    ownKeys: () => [...values.keys()],
    defineProperty: (_target, name, { value }) => {
      if (typeof name === "symbol") return false;
      values.set(name, String(value));
      return true;
    },
    getOwnPropertyDescriptor: (_target, name) =>
      typeof name === "string" && values.has(name)
        ? {
          value: values.get(name),
          writable: true,
          enumerable: true,
          configurable: true,
        }
        : undefined,
  });
}
