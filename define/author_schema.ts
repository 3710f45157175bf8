/**
 * Reading a schema that an author gave, in Zod or as JSON Schema, without loading either Zod or Ajv.
 *
 * @module
 */
import { hostChecks } from "../base/host_checks.ts";
import { err, isRecord, ok, type Result } from "../base/result.ts";
import { isZodSchema, type ZodSchema } from "../base/zod_schema.ts";
import type { JsonSchema } from "./types.ts";

/** A schema in the forms that the rest of the system reads. */
export interface AuthorSchema {
  /** The JSON Schema; undefined when the library can't convert its own schemas, and the indexer has to. */
  readonly json: JsonSchema | undefined;
  /** The Zod schema that it was made from. */
  readonly zod: ZodSchema | undefined;
}

/** The side of a call that a schema describes. */
type Side = "input" | "output";

/**
 * Reads a schema; the error says in one sentence what is wrong with it.
 *
 * A Zod 4 schema converts itself (`toJSONSchema`, from Zod 4.2 on), so it is the pack's own Zod that does it. One of an
 * older Zod 4, or of Zod Mini, has no such method: its `json` is undefined, and the indexer converts it with the Zod
 * that it finds. Another library's schema is taken when it offers Standard JSON Schema. Whether a JSON Schema compiles is
 * asked of the host, where one is loaded.
 */
export function readAuthorSchema(
  given: unknown,
  side: Side,
): Result<AuthorSchema, string> {
  if (isZodSchema(given)) {
    const converted = convertZod(given, side);
    if (converted.kind === "err") return converted;
    return withJson(converted.value, given, side);
  }
  if (isZod3Schema(given)) {
    return err(
      "is a schema of Zod 3, which has no JSON Schema form; use Zod 4 (version 4 of zod, or zod/v4 of 3.25)",
    );
  }
  const standard = standardOf(given);
  if (standard) {
    const converted = convertStandard(standard, side);
    return converted.kind === "err"
      ? converted
      : withJson(converted.value, undefined, side);
  }
  if (!isRecord(given)) {
    return err("must be a Zod schema or a JSON Schema object");
  }
  return withJson(given, undefined, side);
}

function withJson(
  json: unknown,
  zod: ZodSchema | undefined,
  side: Side,
): Result<AuthorSchema, string> {
  if (json === undefined) return ok({ json, zod });
  if (!isRecord(json)) return err("doesn't convert to a JSON Schema object");
  const problem = hostChecks().schemaProblem?.(json, side);
  return problem === undefined
    ? ok({ json, zod })
    : err(`can't be used: ${problem}`);
}

/** How a Zod schema converts itself. */
type ToJsonSchema = (options: object) => unknown;

function ownConverter(schema: ZodSchema): ToJsonSchema | undefined {
  const { toJSONSchema } = schema as { toJSONSchema?: unknown };
  return typeof toJSONSchema === "function"
    ? (options) => toJSONSchema.call(schema, options)
    : undefined;
}

function convertZod(schema: ZodSchema, side: Side): Result<unknown, string> {
  const convert = ownConverter(schema);
  if (!convert) return ok(undefined);
  try {
    return ok(convert({ io: side }));
  } catch (thrown) {
    const places = unrepresentable(convert, side);
    return err(
      `has no JSON Schema form: ${
        places.length > 0 ? places.join("; ") : messageOf(thrown)
      }`,
    );
  }
}

/** Every innermost part of a Zod schema that can't be converted, with the reason; not only the first, as Zod says it. */
function unrepresentable(convert: ToJsonSchema, side: Side): string[] {
  const failing: { path: string; reason: string }[] = [];
  try {
    convert({
      io: side,
      unrepresentable: "any",
      override: (
        { zodSchema, path }: { zodSchema: ZodSchema; path?: unknown },
      ): void => {
        if (!Array.isArray(path)) return;
        try {
          ownConverter(zodSchema)?.({ io: side });
        } catch (thrown) {
          failing.push({
            path: path.map((part) => `/${String(part)}`).join(""),
            reason: messageOf(thrown),
          });
        }
      },
    });
  } catch {
    return [];
  }
  const innermost = failing.filter(({ path }) =>
    !failing.some((other) => other.path.startsWith(`${path}/`))
  );
  const lines = innermost.map(({ path, reason }) =>
    path === "" ? reason : `${path}: ${reason}`
  );
  return [...new Set(lines)];
}

/** The Standard JSON Schema door of a library other than Zod. */
function standardOf(given: unknown): Record<string, unknown> | undefined {
  // ArkType's schemas are functions.
  if (typeof given !== "function" && !isRecord(given)) return undefined;
  const standard = (given as { "~standard"?: unknown })["~standard"];
  return isRecord(standard) ? standard : undefined;
}

function convertStandard(
  { vendor, jsonSchema }: Record<string, unknown>,
  side: Side,
): Result<unknown, string> {
  const convert = isRecord(jsonSchema) ? jsonSchema[side] : undefined;
  if (typeof convert !== "function") {
    return err(
      `is a schema of ${
        String(vendor)
      }, which doesn't offer Standard JSON Schema; give a Zod 4 schema or a JSON Schema object`,
    );
  }
  try {
    return ok(convert.call(jsonSchema, { target: "draft-2020-12" }));
  } catch (thrown) {
    return err(`has no JSON Schema form: ${messageOf(thrown)}`);
  }
}

function isZod3Schema(given: unknown): boolean {
  if (!isRecord(given) || !isRecord(given._def)) return false;
  const { typeName } = given._def;
  return typeof typeName === "string" && typeName.startsWith("Zod");
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
