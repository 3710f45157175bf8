/**
 * The schemas inside a JSON Schema (draft 2020-12).
 *
 * @module
 */
import { isRecord } from "../base/result.ts";
import { escapePointer } from "./json_pointer.ts";

/** A schema inside a schema. */
export interface SchemaPart {
  /** The inner schema. */
  readonly schema: Record<string, unknown>;
  /** Where it stands in the outermost schema: a JSON pointer. */
  readonly pointer: string;
  /** The keyword that holds it. */
  readonly keyword: string;
}

/** Keywords that hold one schema. */
export const ONE_KEYWORDS: readonly string[] = [
  "additionalProperties",
  "contains",
  "contentSchema",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
];
/** Keywords that hold a list of schemas. */
export const LIST_KEYWORDS: readonly string[] = [
  "allOf",
  "anyOf",
  "oneOf",
  "prefixItems",
];
/** Keywords that hold schemas under names. */
export const MAP_KEYWORDS: readonly string[] = [
  "$defs",
  "definitions",
  "dependentSchemas",
  "patternProperties",
  "properties",
];

/** How each of these keywords holds schemas. */
const HOLDS: ReadonlyMap<string, "one" | "list" | "map"> = new Map([
  ...ONE_KEYWORDS.map((name) => [name, "one"] as const),
  ...LIST_KEYWORDS.map((name) => [name, "list"] as const),
  ...MAP_KEYWORDS.map((name) => [name, "map"] as const),
]);

/** The schemas directly inside one; `true` and `false` are left out, having nothing inside. */
export function schemaParts(
  schema: Record<string, unknown>,
  pointer: string,
): SchemaPart[] {
  const parts: SchemaPart[] = [];
  const add = (value: unknown, keyword: string, at: string) => {
    if (isRecord(value)) parts.push({ schema: value, keyword, pointer: at });
  };
  for (const keyword of Object.keys(schema)) {
    const holds = HOLDS.get(keyword);
    if (holds === undefined) continue;
    const value = schema[keyword];
    const at = `${pointer}/${keyword}`;
    if (holds === "one") {
      add(value, keyword, at);
    } else if (holds === "list" && Array.isArray(value)) {
      value.forEach((item, index) => add(item, keyword, `${at}/${index}`));
    } else if (holds === "map" && isRecord(value)) {
      for (const [name, item] of Object.entries(value)) {
        add(item, keyword, `${at}/${escapePointer(name)}`);
      }
    }
  }
  return parts;
}

/** A schema and all schemas inside it, outer ones first. */
export function allSchemaParts(root: Record<string, unknown>): SchemaPart[] {
  const parts: SchemaPart[] = [{ schema: root, pointer: "", keyword: "" }];
  for (const { schema, pointer } of parts) {
    parts.push(...schemaParts(schema, pointer));
  }
  return parts;
}

/** A regular expression of a schema. */
export interface SchemaPattern {
  /** Its text. */
  readonly pattern: string;
  /** Where it stands: a JSON pointer. */
  readonly pointer: string;
}

/** Every `pattern` and every key of `patternProperties` in the parts of a schema. */
export function patternsIn(parts: readonly SchemaPart[]): SchemaPattern[] {
  const found: SchemaPattern[] = [];
  for (const { schema, pointer } of parts) {
    if (typeof schema.pattern === "string") {
      const at = `${pointer}/pattern`;
      found.push({ pattern: schema.pattern, pointer: at });
    }
    if (isRecord(schema.patternProperties)) {
      for (const pattern of Object.keys(schema.patternProperties)) {
        const at = `${pointer}/patternProperties/${escapePointer(pattern)}`;
        found.push({ pattern, pointer: at });
      }
    }
  }
  return found;
}
