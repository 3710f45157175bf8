/**
 * Rules for a typed answer: repairs, name, schema.
 *
 * @module
 */

import type { IssueList } from "./issue_list.ts";
import { outputSchema } from "./output_schema.ts";
import { readProperty } from "./plain_copy.ts";
import type { AgentOutput } from "./types.ts";

/** Where the schema stands; it is read by itself, since it may be a Zod schema. */
export const OUTPUT_SCHEMA_PATH = "/output/schema";

/**
 * Checks `output` and answers it as it is stored.
 *
 * @param copy The plain copy of `output`, without its schema.
 * @param given What the author wrote.
 */
export function checkOutput(
  copy: unknown,
  given: unknown,
  issues: IssueList,
): AgentOutput | undefined {
  const output = issues.optionalRecord(
    copy,
    "/output",
    "must be { schema, name, maxRepairs }",
  );
  if (output === undefined) return undefined;
  const { maxRepairs, name } = output;
  issues.require(
    maxRepairs === undefined ||
      Number.isSafeInteger(maxRepairs) && (maxRepairs as number) >= 0,
    "/output/maxRepairs",
    "must be an integer of 0 or more",
  );
  issues.require(
    name === undefined || typeof name === "string" && name !== "",
    "/output/name",
    "must be text that isn't empty",
  );
  const read = readProperty(given as object, "schema");
  const schema = "reason" in read ? read : outputSchema(read.value);
  if ("reason" in schema) {
    issues.add(OUTPUT_SCHEMA_PATH, schema.reason);
    return undefined;
  }
  if (schema.kind === "err") {
    issues.add(OUTPUT_SCHEMA_PATH, schema.error);
    return undefined;
  }
  return { ...output, schema: schema.value };
}
