/**
 * Text from models, tools and users, made fit for a terminal.
 *
 * @module
 */

/**
 * What terminals obey instead of showing: control characters, and line ends that aren't `\n`; what turns the direction of
 * writing around; and what takes no room, so that a text has more in it than can be seen. The joiners of emoji and of
 * scripts that need them (U+200C, U+200D) are no such thing.
 */
const UNSEEN =
  // deno-lint-ignore no-control-regex -- those are what is looked for
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/**
 * A text in which nothing is unseen and nothing moves the cursor, sets a title or hides a part of the text: such characters
 * stand as escapes. Newlines and tabs stay. Half a character becomes U+FFFD.
 */
export function terminalText(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n").toWellFormed().replace(
    UNSEEN,
    (character) => {
      const code = character.codePointAt(0)!.toString(16).padStart(4, "0");
      return code.length > 4 ? `\\u{${code}}` : `\\u${code}`;
    },
  );
}

/** A text on one line, cut to so many characters. */
export function terminalLine(text: string, maxLength = 100): string {
  const line = terminalText(text.slice(0, 4 * maxLength))
    .replaceAll(/\s+/g, " ").trim();
  return line.length <= maxLength
    ? line
    : `${line.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** A value as JSON on one line, cut to so many characters; text stays as it is. */
export function terminalJson(value: unknown, maxLength = 100): string {
  return terminalLine(
    typeof value === "string" ? value : JSON.stringify(value) ?? "",
    maxLength,
  );
}
