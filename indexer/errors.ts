/**
 * What an indexing run can answer besides an index: errors that stop it, errors of one file, warnings.
 *
 * @module
 */

/** A failure of the run as a whole: no file is looked at any further, and nothing is written. */
export type RunErrorCode =
  /** No config file where one is looked for. */
  | "config-not-found"
  /** The config is there and can't be read, or lacks something it must have. */
  | "config-parse-failed"
  /** The config reads and says something that can't be: two configs side by side, a bad `env` declaration. */
  | "config-invalid"
  /** The pack is written in a language that has an indexer of its own. */
  | "language-mismatch"
  /** The patterns match no file. */
  | "discovery-empty"
  /** The index can't be written. */
  | "output-write-failed";

/** A failure of one file: the file's entry is missing from the index, or the run fails over it. */
export type FileErrorCode =
  /** Importing the module threw, needed a permission it doesn't have, or left the pack's folder. */
  | "file-import-failed"
  /** The module has no `default` export. */
  | "no-default-export"
  /** The file lies in the folder of one kind and exports another. */
  | "kind-mismatch"
  /** The default export has the shape of no kind. */
  | "ambiguous-kind"
  /** A Zod schema has no JSON Schema. */
  | "zod-conversion-failed"
  /** A Zod schema converts to something else each time: a default that is a function of time or chance. */
  | "non-deterministic-schema"
  /** The definition lacks something, or holds something that can't stand in an index. */
  | "manifest-validation-failed"
  /** A guardrail ships a check under the id of a built-in one. */
  | "reserved-check-id";

/** Every code of an {@link IndexerError} (`spec/handler_runtime.md` 7.1). */
export type IndexerErrorCode = RunErrorCode | FileErrorCode;

/** What went wrong, where, and what to do about it. */
export interface IndexerError {
  /** The kind of failure. */
  readonly code: IndexerErrorCode;
  /** One sentence or two: what could not be done, why, and what to do. Holds no value of an environment variable. */
  readonly message: string;
  /** The file at fault: a pack's file relative to the pack with forward slashes, a config or output path as it was used. */
  readonly filePath?: string;
  /** The field at fault, such as `inputZod`, `config` or `env`. */
  readonly field?: string;
  /** What was thrown underneath, as plain data: an error as `{ name, message, stack }`. */
  readonly cause?: unknown;
}

/** An error about one file. */
export interface FileError extends IndexerError {
  /** The kind of failure. */
  readonly code: FileErrorCode;
  /** The file, relative to the pack, with forward slashes. */
  readonly filePath: string;
}

/** Why a run failed: its first error, with all of them in `errors` when files are what failed it. */
export interface RunFailure extends IndexerError {
  /** Every file error in path order; the first one is this error itself. Absent when the run stopped before any file. */
  readonly errors?: readonly FileError[];
}

/** Every code of an {@link IndexerWarning}. */
export type IndexerWarningCode =
  /** A check that the pack ships has an id outside the pack's own name space. */
  | "check-id-unprefixed"
  /** A Zod check has no JSON Schema form, so the index doesn't carry it. */
  | "refinement-dropped"
  /** A regular expression's flags have no JSON Schema form, so the index carries a stricter pattern. */
  | "regex-flags-dropped"
  /** A `default` sits where no validator applies it. */
  | "default-never-applied"
  /** A pattern can take exponential time, and V8's linear engine can't run it. */
  | "pattern-may-backtrack";

/** Something the pack should change; it is indexed as it would be without. */
export interface IndexerWarning {
  /** The kind of warning. */
  readonly code: IndexerWarningCode;
  /** What is the matter, and what to do. */
  readonly message: string;
  /** The file, relative to the pack, with forward slashes. */
  readonly filePath: string;
  /** The field it is about, such as `check` or `input`. */
  readonly field: string;
}

/**
 * A thrown value as plain data (`spec/handler_runtime.md` 2.6): an error as `{ name, message, stack }`, JSON values as
 * they are, anything else as its text.
 */
export function describeCause(thrown: unknown): unknown {
  if (thrown === undefined || thrown === null) return null;
  if (thrown instanceof Error) {
    return { name: thrown.name, message: thrown.message, stack: thrown.stack };
  }
  if (typeof thrown !== "object" && typeof thrown !== "function") {
    return typeof thrown === "bigint" || typeof thrown === "symbol"
      ? String(thrown)
      : thrown;
  }
  try {
    const text = JSON.stringify(thrown);
    if (text !== undefined) return JSON.parse(text);
  } catch {
    // Cyclic, or with a BigInt inside: its text has to do.
  }
  return textOf(thrown);
}

/** A thrown value in one line, for a message. */
export function thrownMessage(thrown: unknown): string {
  if (thrown instanceof Error) {
    return thrown.name === "Error"
      ? thrown.message
      : `${thrown.name}: ${thrown.message}`;
  }
  return textOf(thrown);
}

/** A text that ends as a sentence does, whatever it was put together from. */
export function asSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** The text of any value; some objects (a null prototype, a throwing `toString`) have none. */
function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return "a value without a text form";
  }
}
