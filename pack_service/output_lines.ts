/**
 * Passing on what an executor's process prints, line by line.
 *
 * @module
 */

import { isRecord } from "../base/result.ts";
import { GUARD_SEPARATOR, type GuardReport } from "./executor_boot.ts";

/** A line longer than this is passed on in pieces. */
const MAX_LINE_CHARS = 1024 * 1024;

/** What stands in the `kind` of the service's own lines, also in the short form of old ones. */
const SERVICE_KINDS: ReadonlySet<unknown> = new Set([
  "listening",
  "boot-failed",
  "config-invalid",
  "missing-env",
  "draining",
  "stopped",
  "call",
  "handler-finished-late",
]);

/** Calls `line` with each line of a stream, newline included; one that is open at the end is ended. */
export async function forEachLine(
  stream: ReadableStream<Uint8Array>,
  line: (text: string) => void,
  filter: (bytes: Uint8Array) => Uint8Array = (bytes) => bytes,
): Promise<void> {
  const decoder = new TextDecoder();
  let open = "";
  for await (const chunk of stream) {
    open += decoder.decode(filter(chunk), { stream: true });
    let from = 0;
    for (
      let end = open.indexOf("\n");
      end !== -1;
      end = open.indexOf("\n", from)
    ) {
      line(open.slice(from, end + 1));
      from = end + 1;
    }
    open = open.slice(from);
    if (open.length > MAX_LINE_CHARS) {
      line(`${open}\n`);
      open = "";
    }
  }
  open += decoder.decode();
  if (open !== "") line(`${open}\n`);
}

/**
 * A line of pack code that can't be taken for a record of the service: `subsystem` (or, in the short form of old
 * records, `kind`) is left out of one that poses as such (`spec/executors.md`, Streams).
 */
export function withoutPose(line: string): string {
  if (!line.trimStart().startsWith("{")) return line;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return line;
  }
  if (!isRecord(value)) return line;
  const { subsystem, kind, ...rest } = value;
  if (typeof subsystem === "string" && /^pack(\.|$)/.test(subsystem)) {
    return `${JSON.stringify(kind === undefined ? rest : { ...rest, kind })}\n`;
  }
  if (subsystem === undefined && SERVICE_KINDS.has(kind)) {
    return `${JSON.stringify(rest)}\n`;
  }
  return line;
}

/**
 * Takes the guard's reports out of a stream of bytes; see `guard.ts`. They may stand anywhere in it, also inside a
 * character, so this comes before bytes become text.
 */
export function guardFilter(
  mark: string,
  report: (usage: GuardReport) => void,
): (bytes: Uint8Array) => Uint8Array {
  const filter = reportFilter(mark, report);
  return (bytes) => bytesOf(filter(textOf(bytes)));
}

/** A character for each byte, so that bytes can be searched as text and come back unchanged. */
function textOf(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

function reportFilter(
  mark: string,
  report: (usage: GuardReport) => void,
): (text: string) => string {
  const head = `${GUARD_SEPARATOR}${mark}:`;
  let held = "";
  return (text) => {
    const all = held + text;
    held = "";
    let passed = "";
    let from = 0;
    for (;;) {
      const start = all.indexOf(GUARD_SEPARATOR, from);
      if (start === -1) return passed + all.slice(from);
      const rest = all.slice(start, start + head.length);
      if (rest !== head) {
        if (all.length - start < head.length && head.startsWith(rest)) {
          held = all.slice(start);
          return passed + all.slice(from, start);
        }
        passed += all.slice(from, start + 1);
        from = start + 1;
        continue;
      }
      const end = all.indexOf(GUARD_SEPARATOR, start + 1);
      if (end === -1) {
        held = all.slice(start);
        return passed + all.slice(from, start);
      }
      const [cpuMs, rssBytes] = all.slice(start + head.length, end).split(":")
        .map(Number);
      report({ cpuMs: cpuMs ?? 0, rssBytes: rssBytes ?? 0 });
      passed += all.slice(from, start);
      from = end + 1;
    }
  };
}
