/**
 * What every kind of definition shares, whichever room it belongs to.
 *
 * @module
 */

/** A JSON Schema of draft 2020-12, as plain data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** One thing that is wrong with a definition. */
export interface DefinitionIssue {
  /** Where, as in a JSON Pointer: `/tools/0/id`; `""` is the whole value. */
  readonly path: string;
  /** What is wrong there, and what would be right. */
  readonly message: string;
}
