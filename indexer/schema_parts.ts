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
const ONE = [
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
const LIST = ["allOf", "anyOf", "oneOf", "prefixItems"];
/** Keywords that hold schemas under names. */
const MAP = [
  "$defs",
  "definitions",
  "dependentSchemas",
  "patternProperties",
  "properties",
];

/** The schemas directly inside one; `true` and `false` are left out, having nothing inside. */
export function schemaParts(
  schema: Record<string, unknown>,
  pointer: string,
): SchemaPart[] {
  const parts: SchemaPart[] = [];
  const add = (value: unknown, keyword: string, at: string) => {
    if (isRecord(value)) parts.push({ schema: value, keyword, pointer: at });
  };
  for (const keyword of ONE) {
    add(schema[keyword], keyword, `${pointer}/${keyword}`);
  }
  for (const keyword of LIST) {
    const list = schema[keyword];
    if (!Array.isArray(list)) continue;
    list.forEach((item, index) =>
      add(item, keyword, `${pointer}/${keyword}/${index}`)
    );
  }
  for (const keyword of MAP) {
    const map = schema[keyword];
    if (!isRecord(map)) continue;
    for (const [name, item] of Object.entries(map)) {
      add(item, keyword, `${pointer}/${keyword}/${escapePointer(name)}`);
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

/** Every `pattern` and every key of `patternProperties` in a schema. */
export function schemaPatterns(
  root: Record<string, unknown>,
): SchemaPattern[] {
  return allSchemaParts(root).flatMap(({ schema, pointer }) => {
    const found: SchemaPattern[] = [];
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
    return found;
  });
}
