/**
 * What a JSON Schema says without effect or at a risk (decision 16).
 *
 * @module
 */
import { valueAt } from "./json_pointer.ts";
import { isRecord } from "../base/result.ts";
import { schemaParts, schemaPatterns } from "./schema_parts.ts";

/** Keywords below which no validator fills in a default: which branch counts isn't known before it was validated. */
const NEVER_APPLIED = new Set(["anyOf", "oneOf", "not", "contains"]);

/**
 * The places of defaults that are never applied, since they can be reached only through `anyOf`, `oneOf`, `not` or
 * `contains`. References within the schema are followed.
 */
export function defaultsNeverApplied(
  root: Record<string, unknown>,
): string[] {
  const applied = new Set<string>();
  const ignored = new Set<string>();
  const queue = [{ schema: root, pointer: "", below: false }];
  const seen = new Set<string>();
  for (const { schema, pointer, below } of queue) {
    const visit = `${below} ${pointer}`;
    if (seen.has(visit)) continue;
    seen.add(visit);
    if ("default" in schema) {
      (below ? ignored : applied).add(`${pointer}/default`);
    }
    for (const part of schemaParts(schema, pointer)) {
      // Definitions count where they are referred to.
      if (part.keyword === "$defs" || part.keyword === "definitions") continue;
      queue.push({
        schema: part.schema,
        pointer: part.pointer,
        below: below || NEVER_APPLIED.has(part.keyword),
      });
    }
    const target = referenceIn(schema);
    if (target === undefined) continue;
    const referred = valueAt(root, target);
    if (isRecord(referred)) {
      queue.push({ schema: referred, pointer: target, below });
    }
  }
  return [...ignored].filter((pointer) => !applied.has(pointer));
}

function referenceIn(schema: Record<string, unknown>): string | undefined {
  const { $ref } = schema;
  if (typeof $ref !== "string" || !$ref.startsWith("#")) return undefined;
  try {
    const pointer = decodeURIComponent($ref.slice(1));
    return pointer === "" || pointer.startsWith("/") ? pointer : undefined;
  } catch {
    return undefined;
  }
}

/** A pattern that can take exponential time. */
export interface RiskyPattern {
  /** Its text. */
  readonly pattern: string;
  /** Where it stands: a JSON pointer. */
  readonly pointer: string;
  /** What in it keeps V8's linear engine from running it. */
  readonly because: string;
}

/**
 * The patterns that repeat without bound and that V8's linear-time engine can't take over.
 *
 * With `converted`, patterns beside a `format` are passed over: they are Zod's own.
 */
export function riskyPatterns(
  root: Record<string, unknown>,
  converted: boolean,
): RiskyPattern[] {
  return schemaPatterns(root).flatMap(({ pattern, pointer, schema }) => {
    if (converted && "format" in schema) return [];
    const because = keepsFromLinearTime(pattern);
    return because === undefined ? [] : [{ pattern, pointer, because }];
  });
}

/** What keeps a pattern from linear time, or `undefined` when nothing does or it never repeats without bound. */
function keepsFromLinearTime(pattern: string): string | undefined {
  // Classes and escapes say nothing about repetition or groups; what they hold is looked at by itself.
  const bare = pattern.replace(/\\[\s\S]/g, "").replace(/\[[^\]]*\]/g, "");
  if (!/[*+]|\{\d+,\}/.test(bare)) return undefined;
  if (/\(\?<?[=!]/.test(bare)) return "look-around";
  if (/\\[1-9]|\\k</.test(pattern.replaceAll("\\\\", ""))) {
    return "a back-reference";
  }
  return needsUnicode(pattern) ? "a construct of the `u` flag" : undefined;
}

/** Whether a pattern means something else without the `u` flag, or nothing at all. */
function needsUnicode(pattern: string): boolean {
  if (/[\u{10000}-\u{10ffff}]/u.test(pattern)) return true;
  return /\\[pP]\{|\\u\{/.test(pattern.replaceAll("\\\\", ""));
}
