/**
 * What keeps a JSON Schema out of an index: things that would make every call of its tool fail.
 *
 * Less than compiling it: the index also serves implementations that know other keywords, so those stay
 * (`spec/handler_runtime.md` 7.5, decision 16).
 *
 * @module
 */
import { draftIssues } from "../base/json_schema.ts";
import { compilePattern } from "../base/pattern.ts";
import { thrownMessage } from "./errors.ts";
import { plainlyFitsDraft } from "./draft_shape.ts";
import { patternsIn, type SchemaPart } from "./schema_parts.ts";

/** The dialect of every schema in an index. */
export const DIALECT = "https://json-schema.org/draft/2020-12/schema";

/**
 * Why a schema, given with all its parts, is not a usable one of draft 2020-12, as the end of a sentence; `undefined` when
 * it is.
 */
export function schemaProblem(
  schema: Record<string, unknown>,
  parts: readonly SchemaPart[],
): string | undefined {
  for (const part of parts) {
    const dialect = part.schema.$schema;
    if (dialect === undefined) continue;
    if (dialect === DIALECT || dialect === `${DIALECT}#`) continue;
    return `is written in the dialect ${JSON.stringify(dialect)}${
      place(part.pointer)
    }, which is not draft 2020-12. Rewrite it as ${DIALECT}, or leave $schema out`;
  }
  for (const { pattern, pointer } of patternsIn(parts)) {
    try {
      compilePattern(pattern);
    } catch (thrown) {
      return `has a pattern that is no regular expression, at ${pointer}: ${
        thrownMessage(thrown)
      }. Patterns are read with the \`u\` flag, under which only special characters may be escaped`;
    }
  }
  const plain = parts.every((part) => plainlyFitsDraft(part.schema));
  const [issue] = plain ? [] : draftIssues(schema);
  if (issue) {
    return `is not a JSON Schema of draft 2020-12: ${issue.instancePath} ${issue.message}`;
  }
  return undefined;
}

function place(pointer: string): string {
  return pointer === "" ? "" : ` at ${pointer}`;
}
