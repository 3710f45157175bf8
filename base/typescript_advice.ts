/**
 * What to do about a module in TypeScript on a Node that can't load one.
 *
 * @module
 */

/**
 * The way out, to stand behind what an import threw; empty when that is not why it failed.
 *
 * @param otherwise What to do on the Node that there is.
 */
export function typescriptAdvice(
  thrown: unknown,
  otherwise = "compile it, and name the build with --bundle-map",
): string {
  return codeOf(thrown) === "ERR_UNKNOWN_FILE_EXTENSION"
    ? `. TypeScript needs Node 22.18 or later; or ${otherwise}`
    : "";
}

/** A thrown value may be anything, also one that can't be looked at. */
function codeOf(thrown: unknown): unknown {
  try {
    return (thrown as { code?: unknown } | null | undefined)?.code;
  } catch {
    return undefined;
  }
}
