/**
 * What to do about a module in TypeScript on a Node that can't load one.
 *
 * @module
 */

/** The way out, to stand behind what an import threw; empty when that is not why it failed. */
export function typescriptAdvice(thrown: unknown): string {
  const { code } = (thrown ?? {}) as { code?: unknown };
  return code === "ERR_UNKNOWN_FILE_EXTENSION"
    ? ". TypeScript needs Node 22.18 or later; or compile it, and name the build with --bundle-map"
    : "";
}
