/**
 * Running something under another time and other dice, to see whether its result depends on them.
 *
 * @module
 */

/** One of two runs whose clocks are more than a year apart and whose dice mirror each other. */
export type Chance = "low" | "high";

/** A year and some: a default that keeps only the day, the weekday or the hour moves too. */
const SHIFT_MS = ((366 * 24 + 7) * 60 + 13) * 60_000;

/** Undoes one replacement. */
type Restore = () => void;

/**
 * Runs synchronous code with `Date`, `Temporal.Now`, `Math.random` and the global `crypto`'s random numbers replaced:
 * under `"high"` the clocks are moved, and every random number is the mirror image of that under `"low"`.
 */
export function underChance<T>(chance: Chance, run: () => T): T {
  const undo: Restore[] = [];
  try {
    if (chance === "high") moveClocks(undo);
    mirrorDice(chance, undo);
    return run();
  } finally {
    for (const restore of undo.reverse()) restore();
  }
}

function moveClocks(undo: Restore[]): void {
  const real = Date;
  const now = () => real.now() + SHIFT_MS;
  const moved = new Proxy(real, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    apply: () => new real(now()).toString(),
    get: (target, key, receiver) =>
      key === "now" ? now : Reflect.get(target, key, receiver),
  });
  replace(globalThis, "Date", moved, undo);

  const { Temporal } = globalThis as { Temporal?: { Now?: unknown } };
  const clocks = Temporal?.Now as Record<string, unknown> | undefined;
  for (
    const name of [
      "instant",
      "plainDateISO",
      "plainDateTimeISO",
      "plainTimeISO",
      "zonedDateTimeISO",
    ]
  ) {
    const clock = clocks?.[name];
    if (!clocks || typeof clock !== "function") continue;
    // `Instant` takes no days and `PlainDate` no less than a day as hours, so that this suits each of them.
    const later = (...args: unknown[]) =>
      clock.apply(clocks, args).add({ minutes: SHIFT_MS / 60_000 });
    replace(clocks, name, later, undo);
  }
}

function mirrorDice(chance: Chance, undo: Restore[]): void {
  let state = 0x9e3779b9;
  /** 32 bits of a xorshift generator, all of them flipped for the other run. */
  const bits = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (chance === "low" ? state : ~state) >>> 0;
  };
  const fill = <T extends ArrayBufferView>(view: T): T => {
    const bytes = new Uint8Array(
      view.buffer,
      view.byteOffset,
      view.byteLength,
    );
    for (let at = 0; at < bytes.length; at++) bytes[at] = bits();
    return view;
  };
  const uuid = (): string => {
    const bytes = fill(new Uint8Array(16));
    bytes[6] = (bytes[6]! & 0x0f) | 0x40;
    bytes[8] = (bytes[8]! & 0x3f) | 0x80;
    const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0"))
      .join("");
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  };
  replace(Math, "random", () => bits() / 2 ** 32, undo);
  replace(globalThis.crypto, "getRandomValues", fill, undo);
  replace(globalThis.crypto, "randomUUID", uuid, undo);
}

/** Gives an object another value under a name; what can't be replaced stays. */
function replace(
  target: object,
  name: string,
  value: unknown,
  undo: Restore[],
): void {
  const before = Object.getOwnPropertyDescriptor(target, name);
  if (before?.configurable === false && before.writable !== true) return;
  if (!before && !Object.isExtensible(target)) return;
  Object.defineProperty(target, name, {
    value,
    writable: true,
    configurable: before?.configurable ?? true,
    enumerable: before?.enumerable ?? true,
  });
  undo.push(() => {
    if (before) Object.defineProperty(target, name, before);
    else Reflect.deleteProperty(target, name);
  });
}
