/**
 * The import specifiers of emitted JavaScript and declarations.
 *
 * @module
 */

import { type PackageConfig, resolveName } from "./package_config.ts";

/** `from "…"`, `import "…"` and `import("…")`, as an emitter writes them. */
const SPECIFIER = /(\b(?:from|import)[ \t]*\(?[ \t]*)(["'])([^"'\n]+)\2/g;

/**
 * Replaces the import map's names by what npm knows: `@std/http/status` by `deno-std/http/status.js`. Names that mean the
 * same on both sides stay as they are.
 */
export function npmNames(
  code: string,
  imports: PackageConfig["imports"],
): string {
  return code.replace(
    SPECIFIER,
    (whole, lead: string, quote: string, specifier: string) => {
      const address = resolveName(specifier, imports);
      return address === undefined
        ? whole
        : `${lead}${quote}${address.name}${address.path}${quote}`;
    },
  );
}

/** The specifiers of a file that lead to other files of the package. */
export function relativeSpecifiers(code: string): string[] {
  return [...code.matchAll(SPECIFIER)]
    .map(([, , , specifier = ""]) => specifier)
    .filter((specifier) => specifier.startsWith("."));
}
