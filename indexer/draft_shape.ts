/**
 * Telling fast that a schema has the shape that draft 2020-12 asks for. Nearly every schema has; the others are judged, and
 * explained, by the draft's own schema, which takes a validator some time.
 *
 * @module
 */
import { isRecord } from "../base/result.ts";
import { LIST_KEYWORDS, MAP_KEYWORDS, ONE_KEYWORDS } from "./schema_parts.ts";

type Shape = (value: unknown) => boolean;

const TYPES: ReadonlySet<unknown> = new Set([
  "array",
  "boolean",
  "integer",
  "null",
  "number",
  "object",
  "string",
]);

const isText: Shape = (value) => typeof value === "string";
const isFlag: Shape = (value) => typeof value === "boolean";
const isNumber: Shape = (value) => typeof value === "number";
const isCount: Shape = (value) => Number.isInteger(value) && Number(value) >= 0;
const isSchema: Shape = (value) => isFlag(value) || isRecord(value);
const isSchemaList: Shape = (value) =>
  Array.isArray(value) && value.length > 0 && value.every(isSchema);
const isSchemaMap: Shape = (value) =>
  isRecord(value) && Object.values(value).every(isSchema);
const isTextSet: Shape = (value) =>
  Array.isArray(value) && value.every(isText) &&
  new Set(value).size === value.length;
const isType: Shape = (value) =>
  TYPES.has(value) ||
  isTextSet(value) && (value as unknown[]).length > 0 &&
    (value as unknown[]).every((one) => TYPES.has(one));
const anything: Shape = () => true;

/** What the value of each keyword looks like; keywords that need a closer look are not here. */
const SHAPES: ReadonlyMap<string, Shape> = new Map([
  ...ONE_KEYWORDS.map((name): [string, Shape] => [name, isSchema]),
  ...LIST_KEYWORDS.map((name): [string, Shape] => [name, isSchemaList]),
  ...MAP_KEYWORDS.map((name): [string, Shape] => [name, isSchemaMap]),
  ["type", isType],
  ["enum", Array.isArray],
  ["const", anything],
  ["default", anything],
  ["examples", Array.isArray],
  ["required", isTextSet],
  ["uniqueItems", isFlag],
  ["deprecated", isFlag],
  ["readOnly", isFlag],
  ["writeOnly", isFlag],
  ["multipleOf", (value) => isNumber(value) && Number(value) > 0],
  ...["maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum"].map(
    (name): [string, Shape] => [name, isNumber],
  ),
  ...[
    "maxLength",
    "minLength",
    "maxItems",
    "minItems",
    "maxContains",
    "minContains",
    "maxProperties",
    "minProperties",
  ].map((name): [string, Shape] => [name, isCount]),
  ...[
    "title",
    "description",
    "format",
    "pattern",
    "contentEncoding",
    "contentMediaType",
    "$comment",
    "$schema",
  ].map((name): [string, Shape] => [name, isText]),
  [
    "$ref",
    (value) => typeof value === "string" && /^#[\w/$.~-]*$/.test(value),
  ],
]);

/** Keywords of the draft, or of earlier ones, that are left to the draft's own schema. */
const CLOSER_LOOK = /^\$|^dependen/;

/** Whether one schema, without those inside it, plainly has the draft's shape; `false` also where that isn't plain. */
export function plainlyFitsDraft(schema: Record<string, unknown>): boolean {
  for (const keyword of Object.keys(schema)) {
    const shape = SHAPES.get(keyword);
    if (shape ? !shape(schema[keyword]) : CLOSER_LOOK.test(keyword)) {
      return false;
    }
  }
  return true;
}
