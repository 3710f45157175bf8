/**
 * Exact versions and version ranges, by npm's rules (`spec/agents_define.md` 8).
 *
 * @module
 */

// @ts-types="@types/semver"
import semver from "semver";
import { compareCodeUnits } from "../../base/canonical_json.ts";
import { type Ok, ok } from "../../base/result.ts";

/** Longer ranges are refused unread (`spec/decisions.md` 17). */
const MAX_RANGE_LENGTH = 256;

const EXACT_VERSION = /^\d+\.\d+\.\d+(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$/;

/** Whether a value is an exact version: three numbers and perhaps a prerelease; no `v`, no build metadata. */
export function isExactVersion(value: unknown): value is string {
  return typeof value === "string" && EXACT_VERSION.test(value);
}

/** Whether a value is an npm version range of at most 256 characters; the empty text counts as `*`. */
export function isVersionRange(value: unknown): value is string {
  return typeof value === "string" && value.length <= MAX_RANGE_LENGTH &&
    semver.validRange(value) !== null;
}

/**
 * Orders two versions by semver precedence: a prerelease before its release, `rc.2` before `rc.10`.
 *
 * Text that is no version comes before every version. Versions of equal precedence (they differ in build metadata or in
 * leading zeros) are ordered as text, so that the order never depends on the input's.
 */
export function compareVersions(a: string, b: string): number {
  const left = semver.parse(a, { loose: true });
  const right = semver.parse(b, { loose: true });
  if (left === null || right === null) {
    const known = Number(left !== null) - Number(right !== null);
    return known !== 0 ? known : compareCodeUnits(a, b);
  }
  return semver.compare(left, right) || compareCodeUnits(a, b);
}

/** Whether two versions have the same semver precedence, which ignores build metadata; equal text always has. */
export function sameVersion(a: string, b: string): boolean {
  if (a === b) return true;
  const left = semver.parse(a, { loose: true });
  const right = semver.parse(b, { loose: true });
  return left !== null && right !== null && semver.compare(left, right) === 0;
}

/** Ranges that were read: every turn of an agent asks for the same few. */
const ranges = new Map<string, semver.Range | null>();
const MAX_RANGES = 1_000;

/** A range; `null` when it is none that npm would read, or too long. */
function readRange(range: string): semver.Range | null {
  let read = ranges.get(range);
  if (read === undefined) {
    read = isVersionRange(range) ? new semver.Range(range) : null;
    if (ranges.size >= MAX_RANGES) ranges.clear();
    if (range.length <= MAX_RANGE_LENGTH) ranges.set(range, read);
  }
  return read;
}

/** What {@link pickVersion} answers. */
export type PickedVersion =
  | Ok<string>
  | {
    /** The range is not one that npm would read, or is longer than 256 characters. */
    readonly kind: "invalid-range";
  }
  | {
    /** None of the versions satisfies the range. */
    readonly kind: "not-satisfiable";
  };

/**
 * Picks the highest version that satisfies a range.
 *
 * A prerelease counts only when the range names a prerelease of the same major, minor and patch: `*` never picks one.
 * Without a range the highest of all is picked, prereleases included. Text in `available` that is no version is
 * skipped.
 *
 * @param available Exact versions, in any order.
 * @param range An npm range; the empty text counts as `*`.
 */
export function pickVersion(
  available: readonly string[],
  range?: string,
): PickedVersion {
  const wanted = range === undefined ? undefined : readRange(range);
  if (wanted === null) return { kind: "invalid-range" };
  const fitting = available.filter((version) => {
    const read = semver.parse(version);
    return read !== null && (wanted === undefined || wanted.test(read));
  });
  if (fitting.length === 0) return { kind: "not-satisfiable" };
  return ok(
    fitting.reduce((best, version) =>
      compareVersions(version, best) > 0 ? version : best
    ),
  );
}
