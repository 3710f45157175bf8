/**
 * The schema of a settings block: what values fit it, and which of them may be tuned (`spec/agents_define.md` 7.1).
 *
 * @module
 */

import { compileSchema } from "../../base/json_schema.ts";
import { isRecord } from "../../base/result.ts";
import {
  type BlockIssue,
  type JsonSchema,
  pointerSegment,
} from "../agent/mod.ts";

const TUNABLE = "x-kindgi-tunable";

/** What the values of a `modelSettings` block fit. */
export const MODEL_SETTINGS_SCHEMA: JsonSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Model settings",
  type: "object",
  properties: {
    temperature: { type: "number", minimum: 0, maximum: 2 },
    maxOutputTokens: { type: "integer", minimum: 1 },
  },
  additionalProperties: false,
};

/** A number that may be tuned between two bounds. */
export interface TunableNumber {
  /** The key among the block's values. */
  readonly key: string;
  /** Whether fractions are allowed. */
  readonly kind: "number" | "integer";
  /** The lowest value. */
  readonly minimum: number;
  /** The highest value, above `minimum`. */
  readonly maximum: number;
}

/** A value that may be tuned among a list. */
export interface TunableEnum {
  /** The key among the block's values. */
  readonly key: string;
  /** A choice. */
  readonly kind: "enum";
  /** The choices, two at least. */
  readonly values: readonly unknown[];
}

/** One value of a settings block that may be tuned. */
export type TunableKey = TunableNumber | TunableEnum;

/**
 * The values that a schema marks with `x-kindgi-tunable: true`, in the order of its properties.
 *
 * A mark counts on a `number` or `integer` whose `minimum` is below its `maximum`, and on an `enum` of two values or
 * more; others are issues of {@link settingsSchemaIssues} and are left out here. Without a schema there are none.
 */
export function tunableKeys(schema: JsonSchema | undefined): TunableKey[] {
  return markedProperties(schema).flatMap(([key, property]) =>
    tunableKey(key, property) ?? []
  );
}

function markedProperties(
  schema: JsonSchema | undefined,
): [string, Record<string, unknown>][] {
  if (!isRecord(schema?.properties)) return [];
  return Object.entries(schema.properties).flatMap(([key, property]) =>
    isRecord(property) && Object.hasOwn(property, TUNABLE)
      ? [[key, property]]
      : []
  );
}

function tunableKey(
  key: string,
  property: Readonly<Record<string, unknown>>,
): TunableKey | undefined {
  if (property[TUNABLE] !== true) return undefined;
  const { type, minimum, maximum, enum: values } = property;
  if (values !== undefined) {
    return Array.isArray(values) && values.length >= 2
      ? { key, kind: "enum", values }
      : undefined;
  }
  if (type !== "number" && type !== "integer") return undefined;
  if (typeof minimum !== "number" || typeof maximum !== "number") {
    return undefined;
  }
  return minimum < maximum ? { key, kind: type, minimum, maximum } : undefined;
}

/**
 * What is wrong with settings and their schema.
 *
 * A schema that doesn't compile is one issue at `/content/schema`. Else each `x-kindgi-tunable` that can't count is an
 * issue at its place below `/content/schema`, and each way in which the values don't fit is one below `path`. Without a
 * schema nothing is wrong.
 *
 * @param path The place of the values.
 */
export function settingsSchemaIssues(
  values: unknown,
  schema: JsonSchema | undefined,
  path = "/content/values",
): BlockIssue[] {
  if (schema === undefined) return [];
  const compiled = compileSchema(schema, "output");
  if (compiled.kind === "err") {
    return [{ path: "/content/schema", message: compiled.error.message }];
  }
  const misplaced = markedProperties(schema)
    .filter(([key, property]) => tunableKey(key, property) === undefined)
    .map(([key]) => ({
      path: `/content/schema/properties/${pointerSegment(key)}/${TUNABLE}`,
      message:
        "must be true, on a number or integer with minimum below maximum or on an enum of two values or more",
    }));
  const unfit = compiled.value(values).map(({ instancePath, message }) => ({
    path: `${path}${instancePath}`,
    message,
  }));
  return [...misplaced, ...unfit];
}
