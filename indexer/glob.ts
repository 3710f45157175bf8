/**
 * The glob patterns of a pack's `discovery`: a small, fixed language, so that every implementation reads them alike.
 *
 * Two stars and a slash are zero or more folders, two stars at the end anything, `*` any characters within a segment,
 * `?` one character, `{a,b}` a choice of texts without nesting. There is no negation. A pattern matches the whole path
 * from the pack's root; a leading `./` counts for nothing (`spec/handler_runtime.md` 7.3).
 *
 * @module
 */
import { compareCodeUnits } from "../base/canonical_json.ts";

/** Test files, which discovery passes over. */
export const TEST_FILE_REGEX: RegExp = /\.(test|spec)\.(ts|js|mjs|cjs)$/;

const WILDCARD = /[*?{]/;

/** The pattern as a regular expression over a path with forward slashes, relative to the pack's root. */
export function globToRegex(pattern: string): RegExp {
  const glob = withoutDotSlash(pattern);
  let source = "";
  let at = 0;
  while (at < glob.length) {
    const char = glob[at]!;
    if (glob.startsWith("**/", at)) {
      source += "(?:[^/]+/)*";
      at += 3;
    } else if (glob.startsWith("**", at)) {
      source += ".*";
      at += 2;
    } else if (char === "*") {
      source += "[^/]*";
      at += 1;
    } else if (char === "?") {
      source += "[^/]";
      at += 1;
    } else {
      const end = char === "{" ? glob.indexOf("}", at) : -1;
      if (end > at) {
        const choices = glob.slice(at + 1, end).split(",").map(escapeRegex);
        source += `(?:${choices.join("|")})`;
        at = end + 1;
      } else {
        source += escapeRegex(char);
        at += 1;
      }
    }
  }
  return new RegExp(`^${source}$`, "s");
}

/** The folder that a pattern is fixed to, `''` for the root; a pattern without wildcards gives its file's folder. */
export function globStaticPrefix(pattern: string): string {
  const folders = withoutDotSlash(pattern).split("/").slice(0, -1);
  const wild = folders.findIndex((segment) => WILDCARD.test(segment));
  return (wild === -1 ? folders : folders.slice(0, wild)).join("/");
}

/** The folders to walk for these patterns: sorted, those inside another left out, `['']` when one is the root. */
export function discoveryRoots(patterns: readonly string[]): string[] {
  const prefixes = [...new Set(patterns.map(globStaticPrefix))]
    .sort(compareCodeUnits);
  if (prefixes.includes("")) return [""];
  return prefixes.filter((prefix) =>
    !prefixes.some((other) =>
      other !== prefix && prefix.startsWith(`${other}/`)
    )
  );
}

/** A function that tells whether a path matches one of the patterns. */
export function createGlobMatcher(
  patterns: readonly string[],
): (path: string) => boolean {
  const regexes = patterns.map(globToRegex);
  return (path) => regexes.some((regex) => regex.test(path));
}

function withoutDotSlash(pattern: string): string {
  let glob = pattern;
  while (glob.startsWith("./")) glob = glob.slice(2);
  return glob;
}

function escapeRegex(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
