/**
 * The schema of a typed answer: Zod converted, JSON Schema compiled (`spec/agents_define.md` 3.2).
 *
 * @module
 */

import { hostChecks } from "../../base/host_checks.ts";
import { err, isRecord, ok, type Result } from "../../base/result.ts";
import { isZodSchema } from "../../base/zod_schema.ts";
import { plainCopy, reasonOf } from "./plain_copy.ts";
import type { JsonSchema } from "./types.ts";

const EXPECTED =
  "must be a Zod 4 schema or a JSON Schema of draft 2020-12 as plain data";

/** What is wrong with a schema, in one sentence; its place in the schema stands first where it has one. */
export type OutputSchemaProblem = string;

/** The JSON Schema to store for what an author gave, or what is wrong with it. Never throws. */
export function outputSchema(
  given: unknown,
): Result<JsonSchema, OutputSchemaProblem> {
  const schema = givesZod(given) ? convertZod(given) : ok(given);
  if (schema.kind === "err") return schema;

  const copy = plainCopy(schema.value);
  const [problem] = copy.problems;
  if (problem !== undefined) {
    const [place, reason] = problem;
    return err(`${EXPECTED}; ${place === "" ? "this" : place} ${reason}`);
  }
  if (!isRecord(copy.value)) return err(EXPECTED);
  const refused = compileProblem(copy.value);
  return refused === undefined ? ok(copy.value) : err(refused);
}

function givesZod(given: unknown): given is object {
  try {
    return isZodSchema(given);
  } catch {
    return false;
  }
}

/**
 * Zod's own conversion, output side, reached through the schema itself: the author's copy of Zod knows its own types,
 * and nothing here has to load one.
 */
function convertZod(schema: object): Result<unknown, OutputSchemaProblem> {
  try {
    const convert = converterOf(schema);
    return convert === undefined
      ? err(
        "is a Zod schema that can't convert itself: use Zod 4.2 or later, or give z.toJSONSchema(schema, { io: 'output' })",
      )
      : ok(convert());
  } catch (thrown) {
    return err(`can't be converted to JSON Schema: ${reasonOf(thrown)}`);
  }
}

/** The schema's own method, or (as with Zod Mini) the one of its Standard JSON Schema door. */
function converterOf(schema: object): (() => unknown) | undefined {
  const { toJSONSchema, "~standard": standard } = schema as {
    toJSONSchema?: unknown;
    "~standard"?: { jsonSchema?: { output?: unknown } };
  };
  if (typeof toJSONSchema === "function") {
    return () => toJSONSchema.call(schema, { io: "output" });
  }
  const door = standard?.jsonSchema;
  const output = door?.output;
  if (typeof output !== "function") return undefined;
  return () => output.call(door, { target: "draft-2020-12" });
}

function compileProblem(schema: JsonSchema): string | undefined {
  try {
    return hostChecks().schemaProblem?.(schema, "output");
  } catch (thrown) {
    return `can't be checked: ${reasonOf(thrown)}`;
  }
}
