/**
 * Turning a Zod schema into the JSON Schema that the index carries.
 *
 * @module
 */
import { err, isRecord, ok, type Result } from "../base/result.ts";
import { isZodSchema, type ZodSchema } from "../base/zod_schema.ts";
import { differentPlaces } from "./json_pointer.ts";
import { thrownMessage } from "./errors.ts";
import { type Chance, underChance } from "./time_and_chance.ts";
import type { ZodConverter } from "./zod_library.ts";
import { zodDefinition, type ZodPart, zodParts } from "./zod_tree.ts";

/** Why a Zod schema has no JSON Schema to put in an index. */
export interface ZodConversionError {
  /** The kind of failure: no JSON Schema at all, or another one each time. */
  readonly code: "invalid-zod-conversion" | "non-deterministic-schema";
  /** What is wrong, with the path of every field at fault. */
  readonly message: string;
  /** What the converter threw. */
  readonly cause?: unknown;
}

/**
 * Converts a Zod 4 schema to JSON Schema exactly as `z.toJSONSchema(schema, { io })` does; anything else passes through
 * unchanged (`spec/handler_runtime.md` 7.6).
 *
 * `converter` is the `toJSONSchema` of the Zod that made the schema. Every field that JSON Schema can't represent is
 * named. The conversion runs twice with different times and chances; a schema whose default depends on either is
 * refused as `non-deterministic-schema`.
 */
export function toJSONSchemaSync(
  schema: unknown,
  converter: ZodConverter | undefined,
  io: "input" | "output",
): Result<unknown, ZodConversionError> {
  if (isZod3Schema(schema)) {
    return err({
      code: "invalid-zod-conversion",
      message:
        "it is a schema of Zod 3, which has no JSON Schema form. Use Zod 4: version 4 of `zod`, or `zod/v4` of 3.25",
    });
  }
  if (!isZodSchema(schema)) return ok(schema);
  if (!converter) {
    return err({
      code: "invalid-zod-conversion",
      message: "the Zod that made it can't be found",
    });
  }
  const convert = (chance: Chance) =>
    underChance(chance, () => converter(schema, { io }));
  try {
    const first = convert("low");
    const second = convert("high");
    if (JSON.stringify(first) === JSON.stringify(second)) return ok(first);
    return err({
      code: "non-deterministic-schema",
      message: `it converts to another JSON Schema each time, at ${
        differentPlaces(first, second).join(", ")
      }: a default depends on time or chance. Make the default a fixed value, or leave it out and fill it in the handler`,
    });
  } catch (thrown) {
    const fields = unrepresentable(schema, converter, io);
    return err({
      code: "invalid-zod-conversion",
      message: fields.length === 0
        ? thrownMessage(thrown)
        : fields.map(({ path, reason }) =>
          `${path === "" ? "the schema itself" : path}: ${reason}`
        ).join("; "),
      cause: thrown,
    });
  }
}

/** Whether a value is a schema of Zod 3: it has Zod's definition record and none of Zod 4's. */
export function isZod3Schema(value: unknown): boolean {
  if (typeof value !== "object" || value === null || "_zod" in value) {
    return false;
  }
  const { _def } = value as { _def?: unknown };
  return isRecord(_def) && typeof _def.typeName === "string" &&
    _def.typeName.startsWith("Zod");
}

/** Kinds of schema without a JSON form whatever they hold. */
const NEVER_JSON = new Set(["map", "set", "function", "transform", "custom"]);

/** Every part that can't be converted for a reason of its own, in the order of the schema. */
function unrepresentable(
  root: ZodSchema,
  converter: ZodConverter,
  io: "input" | "output",
): { path: string; reason: string }[] {
  const faults: { path: string; reason: string }[] = [];
  const verdicts = new Map<ZodSchema, boolean>();

  const fails = ({ schema, path }: ZodPart): boolean => {
    const known = verdicts.get(schema);
    if (known !== undefined) return known;
    verdicts.set(schema, false); // inside itself a cyclic schema counts as sound
    let reason: string | undefined;
    try {
      converter(schema, { io });
    } catch (thrown) {
      reason = thrownMessage(thrown);
    }
    const at = faults.length;
    let innerFails = false;
    for (const part of zodParts(schema, path, io)) {
      if (fails(part)) innerFails = true;
    }
    if (reason === undefined) return false;
    verdicts.set(schema, true);
    if (!innerFails || NEVER_JSON.has(String(zodDefinition(schema).type))) {
      faults.splice(at, 0, { path, reason });
    }
    return true;
  };

  fails({ schema: root, path: "" });
  return faults;
}
