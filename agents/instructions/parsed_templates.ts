/**
 * Parse results, kept for the templates that were used last.
 *
 * @module
 */

import { err, ok, type Result } from "../../base/result.ts";
import { type ParsedTemplate, parseProblem, parseTemplate } from "./engine.ts";

/** Why a template doesn't parse. */
export interface ParseFailure {
  /** What is wrong, for people. */
  readonly problem: string;
  /** What the engine threw. */
  readonly cause: unknown;
}

/** What the kept templates may hold together: parts (about a kilobyte each) and characters. */
const PARTS_LIMIT = 16_000;
const TEXT_LIMIT = 2_000_000;

const kept = new Map<string, ParsedTemplate>();
let parts = 0;
let text = 0;

/** Parses a template, or takes the result from the last time. */
export function parsed(template: string): Result<ParsedTemplate, ParseFailure> {
  const known = kept.get(template);
  if (known !== undefined) {
    kept.delete(template); // and back in at the end: the first in the map is the one used longest ago
    kept.set(template, known);
    return ok(known);
  }
  try {
    const fresh = parseTemplate(template);
    keep(template, fresh);
    return ok(fresh);
  } catch (cause) {
    return err({ problem: parseProblem(cause), cause });
  }
}

function keep(template: string, fresh: ParsedTemplate): void {
  if (fresh.size > PARTS_LIMIT / 2) return;
  kept.set(template, fresh);
  parts += fresh.size;
  text += template.length;
  for (const [oldest, { size }] of kept) {
    if (parts <= PARTS_LIMIT && text <= TEXT_LIMIT) return;
    kept.delete(oldest);
    parts -= size;
    text -= oldest.length;
  }
}
