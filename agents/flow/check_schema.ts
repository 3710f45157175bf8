/**
 * Whether a JSON Schema inside a flow is one that values can be checked against.
 *
 * @module
 */

import { compileSchema } from "../../base/json_schema.ts";
import type { JsonSchema } from "./types.ts";

/** Why a schema can't be used, to be put after what holds it; `undefined` when it compiles. */
export function schemaProblem(
  key: "outputSchema" | "schema",
  schema: JsonSchema,
): string | undefined {
  const compiled = compileSchema(schema, "output");
  return compiled.kind === "ok"
    ? undefined
    : `has ${key === "schema" ? "a" : "an"} ${key} that doesn't compile; ` +
      `correct it: ${compiled.error.message}`;
}
