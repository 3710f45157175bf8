/**
 * Walking a Zod schema by its parts, to say where in it something is. Conversion itself is Zod's.
 *
 * @module
 */
import { isRecord } from "../base/result.ts";
import { escapePointer } from "./json_pointer.ts";
import { isZodSchema, type ZodSchema } from "../base/zod_schema.ts";

/** A schema inside a schema. */
export interface ZodPart {
  /** The inner schema. */
  readonly schema: ZodSchema;
  /** Where the values that it describes are: a pointer with a star for any item or any other key. */
  readonly path: string;
}

/** The definition that a schema was made from. */
export function zodDefinition(schema: ZodSchema): Record<string, unknown> {
  const { def } = schema._zod as { def?: unknown };
  return isRecord(def) ? def : {};
}

/** The schemas directly inside one that its conversion on this side visits, each with the place of its values. */
export function zodParts(
  schema: ZodSchema,
  path: string,
  io: "input" | "output",
): ZodPart[] {
  const def = zodDefinition(schema);
  const parts: ZodPart[] = [];
  const add = (value: unknown, at: string) => {
    if (isZodSchema(value)) parts.push({ schema: value, path: at });
  };
  switch (def.type) {
    case "object": {
      const shape = isRecord(def.shape) ? def.shape : {};
      for (const [key, value] of Object.entries(shape)) {
        add(value, `${path}/${escapePointer(key)}`);
      }
      add(def.catchall, `${path}/*`);
      break;
    }
    case "array":
      add(def.element, `${path}/*`);
      break;
    case "tuple":
      if (Array.isArray(def.items)) {
        def.items.forEach((item, index) => add(item, `${path}/${index}`));
      }
      add(def.rest, `${path}/*`);
      break;
    case "record":
      add(def.keyType, `${path}/*`);
      add(def.valueType, `${path}/*`);
      break;
    case "union":
      if (Array.isArray(def.options)) {
        for (const option of def.options) add(option, path);
      }
      break;
    case "intersection":
      add(def.left, path);
      add(def.right, path);
      break;
    case "lazy":
      add((schema._zod as { innerType?: unknown }).innerType, path);
      break;
    case "pipe":
      add(io === "output" || isTransform(def.in) ? def.out : def.in, path);
      break;
    default:
      add(def.innerType, path);
  }
  return parts;
}

/** The schema and every schema inside it, each once, outer ones first. */
export function allZodParts(
  root: ZodSchema,
  io: "input" | "output",
): ZodPart[] {
  const seen = new Set<ZodSchema>([root]);
  const parts: ZodPart[] = [{ schema: root, path: "" }];
  for (const { schema, path } of parts) {
    for (const part of zodParts(schema, path, io)) {
      if (seen.has(part.schema)) continue;
      seen.add(part.schema);
      parts.push(part);
    }
  }
  return parts;
}

function isTransform(value: unknown): boolean {
  return isZodSchema(value) && zodDefinition(value).type === "transform";
}
