/**
 * What the command says to people.
 *
 * @module
 */
import { relative } from "node:path";
import type { IndexerError } from "./errors.ts";
import type { IndexReport } from "./run.ts";
import { isWithin } from "./places.ts";

/** Ways to set text off on a terminal. */
export interface Ink {
  /** Something that is wrong. */
  readonly bad: (text: string) => string;
  /** Something that went well. */
  readonly good: (text: string) => string;
}

/** Colours where they can be shown, else none. */
export function inkFor(coloured: boolean): Ink {
  const paint = (code: number) => (text: string) =>
    coloured ? `\x1b[${code}m${text}\x1b[0m` : text;
  return { bad: paint(31), good: paint(32) };
}

/** An error as one line: the command, the code, the file where the message doesn't name it, and the message. */
export function errorLine(
  { code, filePath, message }: IndexerError,
  ink: Ink,
): string {
  const place = filePath === undefined || message.includes(filePath)
    ? ""
    : `${filePath}: `;
  return `kindgi-index: ${ink.bad(code)}: ${place}${oneLine(message)}\n`;
}

/** What was indexed, as one line: `3 tools, 1 flow → dist/index.json`. */
export function summaryLine(
  report: IndexReport,
  workingFolder: string,
  ink: Ink,
  what: "written" | "current",
): string {
  const counts = Object.entries(report.counts).filter(([, count]) => count > 0)
    .map(([list, count]) => counted(count, list.slice(0, -1)));
  const path = isWithin(workingFolder, report.outputPath)
    ? relative(workingFolder, report.outputPath)
    : report.outputPath;
  const notes = [
    what === "current" ? "up to date" : "",
    report.fileErrors.length > 0
      ? `${counted(report.fileErrors.length, "file")} left out`
      : "",
    report.warnings.length > 0
      ? `${counted(report.warnings.length, "warning")} in the report`
      : "",
  ].filter((note) => note !== "");
  const entries = counts.length === 0 ? "nothing" : counts.join(", ");
  const ending = notes.length === 0 ? "" : ` (${notes.join(", ")})`;
  return `${ink.good(entries)} → ${path}${ending}\n`;
}

/** The summary of a run that files failed. */
export function failureLine(files: number): string {
  return `${counted(files, "file")} can't be indexed; nothing was written\n`;
}

/** A number of things in words. */
export function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}

/** A text in one line, without the colours that a runtime puts into its messages. */
function oneLine(text: string): string {
  // deno-lint-ignore no-control-regex -- that is what colours are
  return text.replaceAll(/\x1b\[[0-9;]*m/g, "").replaceAll(/\s*\n\s*/g, " ");
}
