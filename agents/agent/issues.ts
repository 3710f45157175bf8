/**
 * Issues: what is wrong with a definition, each with its place.
 *
 * @module
 */

import type { DefinitionIssue } from "../../base/definition.ts";

export type { DefinitionIssue };

/** A key as a segment of a JSON Pointer (RFC 6901): `~` is `~0` and `/` is `~1`. */
export function pointerSegment(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** Text shown in a message: quoted, and cut when it is long. */
export function quoted(text: string): string {
  const cut = text.length > 100 ? `${text.slice(0, 100)}…` : text;
  return JSON.stringify(cut);
}

/** A value shown in a message: as JSON where it can be, and cut when it is long. Never throws. */
export function shown(value: unknown): string {
  if (typeof value === "string") return quoted(value);
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    // A BigInt or a cycle: its type has to do.
  }
  if (text === undefined) {
    return value === undefined
      ? "undefined"
      : `a value of type ${typeof value}`;
  }
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

/** "1 issue", "2 issues". */
export function issueCount(count: number): string {
  return count === 1 ? "1 issue" : `${count} issues`;
}

/** The first issues in one line, for an error's message. */
export function issueSummary(issues: readonly DefinitionIssue[]): string {
  const first = issues.slice(0, 10).map(({ path, message }) =>
    path === "" ? message : `${path}: ${message}`
  );
  if (issues.length > first.length) {
    first.push(`and ${issues.length - first.length} more`);
  }
  return first.join("; ");
}
