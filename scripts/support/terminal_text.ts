/**
 * Text from models, tools and users, made fit for a terminal.
 *
 * @module
 */

/**
 * A text in which control characters can be seen and do nothing: nobody's text may move the cursor, set a title or hide a
 * part of itself. Newlines and tabs stay. Characters that turn the direction of writing around are shown as well.
 */
export function terminalText(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n").replace(
    // deno-lint-ignore no-control-regex -- those are what is looked for
    /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g,
    (character) =>
      `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** A text on one line, cut to so many characters. */
export function terminalLine(text: string, maxLength = 100): string {
  const line = terminalText(text.slice(0, 4 * maxLength))
    .replaceAll(/\s+/g, " ").trim();
  return line.length <= maxLength ? line : `${line.slice(0, maxLength - 1)}…`;
}

/** A value as JSON on one line, cut to so many characters; text stays as it is. */
export function terminalJson(value: unknown, maxLength = 100): string {
  return terminalLine(
    typeof value === "string" ? value : JSON.stringify(value) ?? "",
    maxLength,
  );
}
