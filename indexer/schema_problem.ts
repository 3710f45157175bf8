/**
 * What keeps a JSON Schema out of an index: things that would make every call of its tool fail.
 *
 * Less than compiling it: the index also serves implementations that know other keywords, so those stay
 * (`spec/handler_runtime.md` 7.5, decision 16).
 *
 * @module
 */
import { compileSchema, type SchemaValidator } from "../base/json_schema.ts";
import { compilePattern } from "../base/pattern.ts";
import { thrownMessage } from "./errors.ts";
import { allSchemaParts, schemaPatterns } from "./schema_parts.ts";

/** The dialect of every schema in an index. */
export const DIALECT = "https://json-schema.org/draft/2020-12/schema";

let draftValidator: SchemaValidator | undefined;

/** Why a value is not a usable JSON Schema of draft 2020-12, as the end of a sentence; `undefined` when it is one. */
export function schemaProblem(
  schema: Record<string, unknown>,
): string | undefined {
  for (const part of allSchemaParts(schema)) {
    const dialect = part.schema.$schema;
    if (dialect === undefined) continue;
    if (dialect === DIALECT || dialect === `${DIALECT}#`) continue;
    return `is written in the dialect ${JSON.stringify(dialect)}${
      place(part.pointer)
    }, which is not draft 2020-12. Rewrite it as ${DIALECT}, or leave $schema out`;
  }
  for (const { pattern, pointer } of schemaPatterns(schema)) {
    try {
      compilePattern(pattern);
    } catch (thrown) {
      return `has a pattern that is no regular expression, at ${pointer}: ${
        thrownMessage(thrown)
      }. Patterns are read with the \`u\` flag, under which only special characters may be escaped`;
    }
  }
  const [issue] = validateAgainstDraft(schema);
  if (issue) {
    return `is not a JSON Schema of draft 2020-12: ${issue.instancePath} ${issue.message}`;
  }
  return undefined;
}

function validateAgainstDraft(
  schema: unknown,
): ReturnType<SchemaValidator> {
  if (!draftValidator) {
    const compiled = compileSchema({ $ref: DIALECT }, "output");
    if (compiled.kind === "err") throw compiled.error.cause;
    draftValidator = compiled.value;
  }
  return draftValidator(schema);
}

function place(pointer: string): string {
  return pointer === "" ? "" : ` at ${pointer}`;
}
