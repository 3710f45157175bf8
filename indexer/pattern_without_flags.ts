/**
 * Writing a regular expression so that it needs no flags: JSON Schema has nowhere to put them.
 *
 * @module
 */

/** One piece of a pattern: an escape, a character class, the opening of a group, or one character. */
const PIECE =
  /\\(?:u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[pP]\{[^}]*\}|k<[^>]*>|c[a-zA-Z]|[\s\S])|\[(?:\\[\s\S]|[^\]\\])*\]|\(\?<[A-Za-z_$][\w$]*>|[\s\S]/gu;

/** One piece inside a character class: an escape, a range, or one character. */
const CLASS_PIECE =
  /\\(?:u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[pP]\{[^}]*\}|c[a-zA-Z]|[\s\S])|([^\\])-([^\\\]])|[\s\S]/gu;

const LINE_END = "[\\n\\r\\u2028\\u2029]";

/**
 * A pattern without flags that matches what this regular expression matches, as to the flags `i`, `m` and `s`.
 *
 * Letters are written in both cases, also in classes and in ranges of ASCII letters. Answers `undefined` where that
 * isn't known to give the same matches: a back-reference or a property of characters (`\p{…}`) without regard to case,
 * an escaped letter (`\x61`), or the set notation of the `v` flag.
 */
export function patternWithoutFlags(regex: RegExp): string | undefined {
  if (regex.flags.includes("v")) return undefined;
  const ignoreCase = regex.ignoreCase;
  let written = "";
  for (const [piece] of regex.source.matchAll(PIECE)) {
    const part = ignoreCase && piece.startsWith("[")
      ? classInBothCases(piece)
      : ignoreCase && piece.startsWith("\\")
      ? escapeInBothCases(piece)
      : ignoreCase && piece.length <= 2 && isLetter(piece)
      ? `[${bothCases(piece)}]`
      : piece === "." && regex.dotAll
      ? "[\\s\\S]"
      : piece === "^" && regex.multiline
      ? `(?:^|(?<=${LINE_END}))`
      : piece === "$" && regex.multiline
      ? `(?:$|(?=${LINE_END}))`
      : piece;
    if (part === undefined) return undefined;
    written += part;
  }
  return written;
}

/** An escape that stands for the same characters in either case, else `undefined`. */
function escapeInBothCases(piece: string): string | undefined {
  return /^\\(?:[1-9]|k<|[pPux][{0-9a-fA-F])/.test(piece) ? undefined : piece;
}

function classInBothCases(text: string): string | undefined {
  const negated = text.startsWith("[^");
  let written = negated ? "[^" : "[";
  for (
    const [piece, from, to] of text.slice(negated ? 2 : 1, -1).matchAll(
      CLASS_PIECE,
    )
  ) {
    if (from !== undefined && to !== undefined) {
      const range = rangeInBothCases(from, to);
      if (range === undefined) return undefined;
      written += range;
    } else if (piece.startsWith("\\")) {
      if (escapeInBothCases(piece) === undefined) return undefined;
      written += piece;
    } else {
      written += isLetter(piece) ? bothCases(piece) : piece;
    }
  }
  return `${written}]`;
}

/** A range of characters with the ASCII letters in it in both cases; ranges past ASCII aren't followed. */
function rangeInBothCases(from: string, to: string): string | undefined {
  const [start, end] = [from.codePointAt(0)!, to.codePointAt(0)!];
  if (end > 0x7f) return undefined;
  let written = `${from}-${to}`;
  for (const [low, high, shift] of [[0x41, 0x5a, 32], [0x61, 0x7a, -32]]) {
    const [first, last] = [Math.max(start, low!), Math.min(end, high!)];
    if (first > last) continue;
    written += String.fromCharCode(first + shift!) + "-" +
      String.fromCharCode(last + shift!);
  }
  return written;
}

function isLetter(char: string): boolean {
  return char.toLowerCase() !== char.toUpperCase();
}

/** A letter in both cases; one whose other case is several characters (`ß`) has only itself. */
function bothCases(char: string): string {
  const cases = [char, char.toLowerCase(), char.toUpperCase()]
    .filter((one) => [...one].length === 1);
  return [...new Set(cases)].join("");
}
