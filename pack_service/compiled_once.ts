/**
 * Schemas of tools and checks, compiled at their first use.
 *
 * @module
 */
import {
  compileSchema,
  type SchemaSide,
  type SchemaValidator,
} from "../base/json_schema.ts";
import { err, type Result } from "../base/result.ts";

/** Compiles a schema when first asked; a failure is answered with what Ajv threw. */
export function compiledOnce(
  schema: unknown,
  side: SchemaSide,
): () => Result<SchemaValidator, Error> {
  let compiled: Result<SchemaValidator, Error> | undefined;
  return () => {
    if (compiled === undefined) {
      const result = compileSchema(schema, side);
      compiled = result.kind === "ok" ? result : err(result.error.cause);
    }
    return compiled;
  };
}
