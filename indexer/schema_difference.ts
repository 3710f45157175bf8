/**
 * What a change of a JSON Schema means for the values that it takes (decision 14).
 *
 * @module
 */
import { isRecord } from "../base/result.ts";
import { escapePointer } from "./json_pointer.ts";

/** Fewer values fit than before, more do, or neither can be said. */
export type ChangeDirection = "narrowed" | "widened" | "changed";

/** One place where two schemas differ. */
export interface SchemaChange {
  /** Which way. */
  readonly direction: ChangeDirection;
  /** Where in the schema: a JSON pointer. */
  readonly pointer: string;
  /** The change in a few words. */
  readonly what: string;
}

/** Bounds that take fewer values the higher they are. */
const LOWER_BOUNDS = new Set([
  "minLength",
  "minimum",
  "exclusiveMinimum",
  "minItems",
  "minProperties",
  "minContains",
]);
/** Bounds that take fewer values the lower they are. */
const UPPER_BOUNDS = new Set([
  "maxLength",
  "maximum",
  "exclusiveMaximum",
  "maxItems",
  "maxProperties",
  "maxContains",
]);
/** Keywords under whose names there are schemas. */
const SCHEMA_MAPS = new Set(["$defs", "definitions", "patternProperties"]);
/** Keywords that hold one schema which a value must fit as a whole or in its parts. */
const SCHEMAS = new Set(["items", "contains", "propertyNames"]);

const PROPERTY_ADDED = "property added";

/** Every difference of two schemas, in the order of keys. */
export function schemaChanges(
  before: unknown,
  after: unknown,
  at = "",
): SchemaChange[] {
  if (sameJson(before, after)) return [];
  if (!isRecord(before) || !isRecord(after)) {
    const direction = before === false || after === true
      ? "widened"
      : before === true || after === false
      ? "narrowed"
      : "changed";
    return [{ direction, pointer: at, what: "another schema" }];
  }
  const keywords = [
    ...new Set([...Object.keys(before), ...Object.keys(after)]),
  ].sort();
  const newlyRequired = membersOf(after.required).filter((name) =>
    !membersOf(before.required).includes(name)
  ).map((name) => `${at}/properties/${escapePointer(String(name))}`);
  return keywords.flatMap((keyword) =>
    sameJson(before[keyword], after[keyword])
      ? []
      : keywordChanges(keyword, before[keyword], after[keyword], at)
  ).filter((change) =>
    // A new key that must be there is a demand, whatever else it allows.
    change.what !== PROPERTY_ADDED || !newlyRequired.includes(change.pointer)
  );
}

function keywordChanges(
  keyword: string,
  before: unknown,
  after: unknown,
  at: string,
): SchemaChange[] {
  const pointer = `${at}/${escapePointer(keyword)}`;
  const change = (direction: ChangeDirection, what: string): SchemaChange => ({
    direction,
    pointer,
    what,
  });
  const orReordered = (changes: SchemaChange[]) =>
    changes.length > 0 ? changes : [change("changed", "another order")];
  if (LOWER_BOUNDS.has(keyword) || UPPER_BOUNDS.has(keyword)) {
    return [
      change(boundDirection(keyword, before, after), moved(before, after)),
    ];
  }
  if (keyword === "required") {
    return orReordered(setChanges(before, after, (name, added) =>
      change(
        added ? "narrowed" : "widened",
        `${name} ${added ? "is required now" : "is no longer required"}`,
      )));
  }
  if (keyword === "enum" || keyword === "type") {
    if (before === undefined || after === undefined) {
      return [
        change(
          before === undefined ? "narrowed" : "widened",
          `${keyword} ${moved(before, after)}`,
        ),
      ];
    }
    return orReordered(setChanges(before, after, (value, added) =>
      change(
        added ? "widened" : "narrowed",
        `${keyword} ${JSON.stringify(value)} ${added ? "added" : "removed"}`,
      )));
  }
  if (keyword === "properties") return propertyChanges(before, after, pointer);
  if (
    keyword === "additionalProperties" || keyword === "unevaluatedProperties"
  ) {
    return schemaChanges(openSchema(before), openSchema(after), pointer);
  }
  if (SCHEMA_MAPS.has(keyword) && isRecord(before) && isRecord(after)) {
    return namesOf(before, after).flatMap((name) =>
      Object.hasOwn(before, name) && Object.hasOwn(after, name)
        ? schemaChanges(
          before[name],
          after[name],
          `${pointer}/${escapePointer(name)}`,
        )
        : [
          change(
            "changed",
            `${name} ${Object.hasOwn(after, name) ? "added" : "removed"}`,
          ),
        ]
    );
  }
  if (SCHEMAS.has(keyword) && before !== undefined && after !== undefined) {
    return schemaChanges(before, after, pointer);
  }
  return [change("changed", moved(before, after))];
}

/** A schema that is absent or empty takes everything, as `true` does. */
function openSchema(schema: unknown): unknown {
  const empty = isRecord(schema) && Object.keys(schema).length === 0;
  return schema === undefined || empty ? true : schema;
}

function propertyChanges(
  before: unknown,
  after: unknown,
  pointer: string,
): SchemaChange[] {
  const [old, now] = [
    isRecord(before) ? before : {},
    isRecord(after) ? after : {},
  ];
  return namesOf(old, now).flatMap((name): SchemaChange[] => {
    const at = `${pointer}/${escapePointer(name)}`;
    if (Object.hasOwn(old, name) && Object.hasOwn(now, name)) {
      return schemaChanges(old[name], now[name], at);
    }
    return Object.hasOwn(now, name)
      ? [{ direction: "widened", pointer: at, what: PROPERTY_ADDED }]
      : [{ direction: "narrowed", pointer: at, what: "property removed" }];
  });
}

function boundDirection(
  keyword: string,
  before: unknown,
  after: unknown,
): ChangeDirection {
  if (before === undefined) return "narrowed";
  if (after === undefined) return "widened";
  if (typeof before !== "number" || typeof after !== "number") return "changed";
  return (after > before) === LOWER_BOUNDS.has(keyword)
    ? "narrowed"
    : "widened";
}

/** One change for each member of only one of two sets; what isn't a list is a set of one. */
function setChanges(
  before: unknown,
  after: unknown,
  describe: (member: unknown, added: boolean) => SchemaChange,
): SchemaChange[] {
  const [old, now] = [membersOf(before), membersOf(after)];
  const onlyIn = (set: readonly unknown[], other: readonly unknown[]) =>
    set.filter((member) =>
      !other.some((one) => sameJson(member, one)) &&
      !(member === "integer" && other.includes("number"))
    );
  return [
    ...onlyIn(now, old).map((member) => describe(member, true)),
    ...onlyIn(old, now).map((member) => describe(member, false)),
  ];
}

function membersOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === undefined ? [] : [value];
}

function namesOf(
  a: Record<string, unknown>,
  b: Record<string, unknown>,
): string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();
}

/** A value's way, short enough for a line. */
export function moved(before: unknown, after: unknown): string {
  return `${short(before)} → ${short(after)}`;
}

function short(value: unknown): string {
  if (value === undefined) return "absent";
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

/** Whether two JSON values are equal, whatever the order of their keys. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length &&
      a.every((item, index) => sameJson(item, b[index]));
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]));
}
