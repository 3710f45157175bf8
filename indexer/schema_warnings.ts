/**
 * What a JSON Schema says without effect or at a risk (decision 16).
 *
 * @module
 */
import { valueAt } from "./json_pointer.ts";
import { isRecord } from "../base/result.ts";
import { patternRunsLinear } from "../base/pattern.ts";
import {
  patternsIn,
  type SchemaPart,
  schemaParts,
  type SchemaPattern,
} from "./schema_parts.ts";

/** Keywords below which no validator fills in a default: which branch counts isn't known before it was validated. */
const NEVER_APPLIED = new Set(["anyOf", "oneOf", "not", "contains"]);

/**
 * The places of defaults that are never applied, since they can be reached only through `anyOf`, `oneOf`, `not` or
 * `contains`. References within the schema are followed.
 */
export function defaultsNeverApplied(
  root: Record<string, unknown>,
  parts: readonly SchemaPart[],
): string[] {
  const possible = parts.some(({ keyword }) => NEVER_APPLIED.has(keyword)) &&
    parts.some(({ schema }) => "default" in schema);
  if (!possible) return [];
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

/** The patterns of a schema whose time may grow exponentially with the text, also where V8 has its linear fallback. */
export function riskyPatterns(
  parts: readonly SchemaPart[],
): SchemaPattern[] {
  return patternsIn(parts).filter(({ pattern }) => !patternRunsLinear(pattern));
}
