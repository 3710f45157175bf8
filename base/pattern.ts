/**
 * Regular expressions of JSON Schemas.
 *
 * @module
 */

/** What a schema's `pattern` is compiled to. */
export interface CompiledPattern {
  /** Whether the text holds a match. */
  test(text: string): boolean;
}

/**
 * Compiles a pattern with the meaning of the `u` flag.
 *
 * @throws {SyntaxError} If the pattern is not a regular expression under the `u` flag.
 */
export function compilePattern(pattern: string): CompiledPattern {
  return new RegExp(pattern, "u");
}
