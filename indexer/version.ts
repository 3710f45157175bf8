/**
 * @module
 */

/** This package's version, as `deno.json` has it; a test holds the two equal. */
export const VERSION = "0.1.0";
