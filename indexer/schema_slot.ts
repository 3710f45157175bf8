/**
 * A place in a definition that holds a schema, as Zod or as JSON Schema, and what the index carries of it.
 *
 * @module
 */
import { err, isRecord, ok, type Result } from "../base/result.ts";
import { isZodSchema, type ZodSchema } from "../base/zod_schema.ts";
import { describeCause, type FileError } from "./errors.ts";
import { fileError, type IndexedFile, nameOf, warn } from "./indexed_file.ts";
import { toPlainJson } from "./plain_json.ts";
import { allSchemaParts, type SchemaPart } from "./schema_parts.ts";
import { schemaProblem } from "./schema_problem.ts";
import { defaultsNeverApplied, riskyPatterns } from "./schema_warnings.ts";
import { isZod3Schema, toJSONSchemaSync } from "./zod_conversion.ts";
import { findZodConverter, zodVersion } from "./zod_library.ts";
import { zodLosses } from "./zod_warnings.ts";

/** A schema as the definition holds it. */
export interface SchemaSlot {
  /** The field that holds it, such as `inputZod` or `input`. */
  readonly field: string;
  /** What it holds. */
  readonly value: unknown;
  /** Whose view the JSON Schema takes: that of who sends a value (`input`), or of who gets one (`output`). */
  readonly io: "input" | "output";
  /** Whether the runtime also parses values with the Zod schema itself, so that nothing of it is lost. */
  readonly zodRunsToo: boolean;
}

/** The JSON Schema of a slot as plain JSON, checked, with warnings added to the file. */
export async function schemaOf(
  file: IndexedFile,
  slot: SchemaSlot,
): Promise<Result<Record<string, unknown>, FileError>> {
  const { field, value } = slot;
  const refuse = (reason: string) =>
    err(
      fileError(
        file,
        "manifest-validation-failed",
        `its \`${field}\` ${reason}`,
        {
          field,
        },
      ),
    );

  const converted = await convert(file, slot);
  if (converted.kind === "err") return converted;
  const plain = toPlainJson(converted.value);
  if (plain.kind === "err") {
    const { path, reason } = plain.error;
    return refuse(path === "" ? reason : `can't be written: ${path} ${reason}`);
  }
  if (!isRecord(plain.value)) return refuse("is not an object");
  const schema = plain.value;
  const parts = allSchemaParts(schema);
  const problem = schemaProblem(schema, parts);
  if (problem !== undefined) return refuse(problem);

  if (isZodSchema(value)) warnAboutLosses(file, slot, value);
  warnAboutSchema(file, slot, schema, parts);
  return ok(schema);
}

/** Whether a value is a schema of either generation of Zod. */
export function isAnyZod(value: unknown): boolean {
  return isZodSchema(value) || isZod3Schema(value);
}

async function convert(
  file: IndexedFile,
  { field, value, io }: SchemaSlot,
): Promise<Result<unknown, FileError>> {
  const converter = isZodSchema(value)
    ? await findZodConverter(value, file.modulePath, file.zodByVersion)
    : undefined;
  if (isZodSchema(value) && !converter) {
    return err(
      fileError(
        file,
        "zod-conversion-failed",
        `its \`${field}\` is a schema of Zod ${
          zodVersion(value)
        }, whose library can't be reached to convert it. Use zod 4.2 or later, whose schemas convert themselves, or ` +
          "import `zod` under that name from the pack's own dependencies",
        { field },
      ),
    );
  }
  const converted = toJSONSchemaSync(value, converter, io);
  if (converted.kind === "ok") return converted;
  const { code, message, cause } = converted.error;
  const detail = {
    field,
    ...(cause === undefined ? {} : { cause: describeCause(cause) }),
  };
  return err(
    code === "non-deterministic-schema"
      ? fileError(file, code, `its \`${field}\`: ${message}`, detail)
      : fileError(
        file,
        "zod-conversion-failed",
        `its \`${field}\` has no JSON Schema: ${message}`,
        detail,
      ),
  );
}

function warnAboutLosses(
  file: IndexedFile,
  { field, io, zodRunsToo }: SchemaSlot,
  schema: ZodSchema,
): void {
  for (const loss of zodLosses(schema, io)) {
    const where = `\`${field}\` of ${nameOf(file)}${placed(loss.path)}`;
    if (loss.code === "refinement-dropped") {
      warn(
        file,
        loss.code,
        field,
        `${where} has ${loss.what} that JSON Schema can't carry, so callers that read the index don't know of it. ${
          zodRunsToo
            ? "It is still applied when a call runs."
            : "Nothing applies it: check it in the code, or say it as JSON Schema."
        }`,
      );
    } else {
      warn(
        file,
        loss.code,
        field,
        `${where} has the regular expression ${loss.what}, whose flags JSON Schema can't carry: the index's pattern is ` +
          `stricter. ${
            loss.instead === undefined
              ? "Write it without flags."
              : `Write it without flags: /${loss.instead}/`
          }`,
      );
    }
  }
}

function warnAboutSchema(
  file: IndexedFile,
  { field, io, zodRunsToo, value }: SchemaSlot,
  schema: Record<string, unknown>,
  parts: readonly SchemaPart[],
): void {
  const where = `\`${field}\` of ${nameOf(file)}`;
  // A Zod schema that runs too fills in its defaults itself; on the output side nobody fills in any.
  if (io === "input" && !(isZodSchema(value) && zodRunsToo)) {
    for (const pointer of defaultsNeverApplied(schema, parts)) {
      warn(
        file,
        "default-never-applied",
        field,
        `${where} has a default at ${pointer} that is never applied: below anyOf, oneOf, not and contains none is. Move ` +
          "it out of there, or fill it in the handler.",
      );
    }
  }
  for (const { pattern, pointer } of riskyPatterns(parts)) {
    warn(
      file,
      "pattern-may-backtrack",
      field,
      `${where} has a pattern at ${pointer} that may take exponential time on a hostile text: ${pattern}. Write it without ` +
        "look-around, back-references and nested repeats, or bound the text with maxLength.",
    );
  }
}

function placed(path: string): string {
  return path === "" ? "" : ` at ${path}`;
}
