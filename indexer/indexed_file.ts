/**
 * What the making of an entry knows about the file that it is made from.
 *
 * @module
 */
import {
  asSentence,
  type FileError,
  type FileErrorCode,
  type IndexerWarning,
} from "./errors.ts";
import type { PrimitiveKind } from "./kinds.ts";

/** A file whose module has been imported and whose kind is known. */
export interface IndexedFile {
  /** Its path from the pack's root, with forward slashes: what the index records. */
  readonly path: string;
  /** The absolute path of the module that was imported: the file itself, or its bundle. */
  readonly modulePath: string;
  /** The pack's id. */
  readonly packId: string;
  /** What the file holds. */
  readonly kind: PrimitiveKind;
  /** The default export, taken out of its envelope. */
  readonly definition: Readonly<Record<string, unknown>>;
  /** All exports of the module. */
  readonly exports: Readonly<Record<string, unknown>>;
  /** Whether Zod may be looked for by its version. */
  readonly zodByVersion: boolean;
  /** Where warnings about this file go. */
  readonly warnings: IndexerWarning[];
}

/** What a message calls the thing in a file: its kind and id, as far as it has one. */
export function nameOf(file: IndexedFile): string {
  const { id } = file.definition;
  return typeof id === "string" ? `${file.kind} "${id}"` : `the ${file.kind}`;
}

/** An error about a file; the message follows the name of the thing in it. */
export function fileError(
  file: IndexedFile,
  code: FileErrorCode,
  message: string,
  extra: { readonly field?: string; readonly cause?: unknown } = {},
): FileError {
  return {
    code,
    message: asSentence(`Cannot index ${nameOf(file)}: ${message}`),
    filePath: file.path,
    ...extra,
  };
}

/** Adds a warning about a file. */
export function warn(
  file: IndexedFile,
  code: IndexerWarning["code"],
  field: string,
  message: string,
): void {
  file.warnings.push({ code, message, filePath: file.path, field });
}
