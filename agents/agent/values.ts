/**
 * Small claims about values that several rules make.
 *
 * @module
 */

/** Whether a value is text with something in it besides spaces. */
export function isFilledText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

/** Whether a value is an integer of 1 or more. */
export function isPositiveInteger(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

/** Whether a value is absent or one of a list. */
export function isAbsentOrOneOf(
  value: unknown,
  list: readonly unknown[],
): boolean {
  return value === undefined || list.includes(value);
}
