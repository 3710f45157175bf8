/** This package's version; a test holds it equal to the one in `deno.json`. */
export const VERSION = "0.1.0";
