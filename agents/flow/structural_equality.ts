/**
 * Equality of JSON values by structure.
 *
 * @module
 */

/**
 * Whether two JSON values are equal: the same primitive, arrays of equal items in order, or objects with the same own
 * keys and equal values in any order. Never throws, whatever the nesting; values that contain themselves are compared
 * as far as they differ.
 */
export function structurallyEqual(left: unknown, right: unknown): boolean {
  const pending: [unknown, unknown][] = [[left, right]];
  const compared = new Map<object, Set<object>>();
  while (pending.length > 0) {
    const [a, b] = pending.pop()!;
    if (a === b) continue;
    if (
      typeof a !== "object" || typeof b !== "object" || a === null || b === null
    ) return false;
    const partners = compared.get(a) ?? new Set();
    if (partners.has(b)) continue;
    compared.set(a, partners.add(b));

    if (Array.isArray(a) || Array.isArray(b)) {
      if (!Array.isArray(a) || !Array.isArray(b)) return false;
      if (a.length !== b.length) return false;
      for (let i = 0; i < a.length; i++) pending.push([a[i], b[i]]);
      continue;
    }
    const keys = Object.keys(a);
    if (keys.length !== Object.keys(b).length) return false;
    for (const key of keys) {
      if (!Object.hasOwn(b, key)) return false;
      pending.push([
        (a as Record<string, unknown>)[key],
        (b as Record<string, unknown>)[key],
      ]);
    }
  }
  return true;
}
