/**
 * A tool's entry in the index.
 *
 * @module
 */
import { err, isRecord, type Result } from "../base/result.ts";
import { isZodSchema } from "../base/zod_schema.ts";
import {
  finishEntry,
  type IndexEntry,
  optionalFields,
  requiredFields,
} from "./entry_fields.ts";
import type { FileError } from "./errors.ts";
import { fileError, type IndexedFile } from "./indexed_file.ts";
import { isAnyZod, schemaOf, type SchemaSlot } from "./schema_slot.ts";

/** Makes a tool's entry (`spec/handler_runtime.md` 7.5); the handler and everything not listed there stay behind. */
export async function toolEntry(
  file: IndexedFile,
): Promise<Result<IndexEntry, FileError>> {
  const required = requiredFields(file, { string: ["id"] });
  if (required.kind === "err") return required;
  const schemas: Record<string, unknown> = {};
  for (const io of ["input", "output"] as const) {
    const slot = slotOf(file, io);
    if (!slot) {
      return err(
        fileError(
          file,
          "manifest-validation-failed",
          `its \`${io}\` is no schema. Give it a JSON Schema object, or a Zod schema as \`${io}Zod\``,
          { field: io },
        ),
      );
    }
    const schema = await schemaOf(file, slot);
    if (schema.kind === "err") return schema;
    schemas[io] = schema.value;
  }
  return finishEntry(file, {
    ...required.value,
    ...optionalFields(file.definition, {
      string: ["description", "version", "sandbox"],
      array: ["effects", "needs"],
      object: ["needsSpec", "limits", "network", "spec"],
      boolean: ["mutating"],
    }),
    modulePath: file.path,
  }, schemas);
}

/** The Zod schema that was kept beside the JSON Schema counts first, since that one is made from it. */
function slotOf(
  { definition }: IndexedFile,
  io: "input" | "output",
): SchemaSlot | undefined {
  const kept = definition[`${io}Zod`];
  if (isAnyZod(kept)) {
    return {
      field: `${io}Zod`,
      value: kept,
      io,
      zodRunsToo: io === "input" && isZodSchema(kept),
    };
  }
  const value = definition[io];
  if (!isRecord(value)) return undefined;
  return { field: io, value, io, zodRunsToo: false };
}
