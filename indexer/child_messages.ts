/**
 * What the process that reads a pack is asked and answers: lines on its standard streams.
 *
 * Pack code writes on standard output too, so each line of ours begins with a mark that only the two processes know.
 *
 * @module
 */
import { isRecord, type Result } from "../base/result.ts";
import type { CollectedPack, CollectOptions, FileStart } from "./collect.ts";
import type { RunFailure } from "./errors.ts";

/** What the child is to read; comes as JSON on its standard input. */
export interface ChildRequest {
  /** What each line of the child's answers begins with. */
  readonly mark: string;
  /** What to read: the parts of the options that are data. */
  readonly options: Pick<
    CollectOptions,
    | "packDir"
    | "configPath"
    | "bundleMap"
    | "moduleRoot"
    | "allowedFolders"
    | "knownFailures"
  >;
  /** Whether each module is to be imported by itself: one of them ended the process, and it has to show which. */
  readonly oneByOne: boolean;
}

/**
 * What the child answers, one line each: that it is ready, when it begins to import many modules at once and when it is done
 * with that, every file as it begins, then the outcome.
 */
export type ChildMessage =
  | { readonly type: "ready" }
  | { readonly type: "together"; readonly begins: boolean }
  | { readonly type: "file"; readonly file: FileStart }
  | {
    readonly type: "outcome";
    readonly outcome: Result<CollectedPack, RunFailure>;
  };

/** A message as the line that carries it. */
export function messageLine(mark: string, message: ChildMessage): string {
  return `${mark}${JSON.stringify(message)}\n`;
}

/** The message in a line, or `undefined` for a line of pack code. */
export function readMessageLine(
  mark: string,
  line: string,
): ChildMessage | undefined {
  // Pack code may have left a line open before ours.
  const at = line.indexOf(mark);
  if (at < 0) return undefined;
  const message: unknown = JSON.parse(line.slice(at + mark.length));
  return isRecord(message) ? message as unknown as ChildMessage : undefined;
}
