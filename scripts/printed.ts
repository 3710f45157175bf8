/**
 * What the scripts print: JSON that can be read, colours where a terminal shows them.
 *
 * @module
 */
import { styleText } from "node:util";
import { wantsNoColor } from "../base/platform.ts";

/** How a text is set off. */
export type Style = "bold" | "dim" | "green" | "red" | "cyan";

/** Sets a text off where `stream` is a terminal, unless `NO_COLOR` or `TERM=dumb` says otherwise; elsewhere it stays as it is. */
export function styled(
  style: Style,
  text: string,
  stream: "stdout" | "stderr" = "stdout",
): string {
  return Deno[stream].isTerminal() && !wantsNoColor()
    ? styleText(style, text, { validateStream: false })
    : text;
}

/** A value as JSON: on one line where that is short, else indented, and cut where it is long. Text stays as it is. */
export function shownJson(
  value: unknown,
  { indent = "", maxLines = Infinity }: {
    readonly indent?: string;
    readonly maxLines?: number;
  } = {},
): string {
  if (typeof value === "string") return indent + value;
  const short = JSON.stringify(value);
  if (indent.length + short.length <= 100) return indent + short;
  const lines = JSON.stringify(value, null, 2).split("\n");
  const shown = lines.length <= maxLines ? lines : [
    ...lines.slice(0, maxLines - 1),
    `… ${lines.length - maxLines + 1} more lines`,
  ];
  return shown.map((line) => indent + line).join("\n");
}
