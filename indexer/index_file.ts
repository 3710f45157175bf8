/**
 * One file of a pack, from its path to its entry.
 *
 * @module
 */
import { typescriptAdvice } from "../base/typescript_advice.ts";
import { err, isRecord, ok, type Result } from "../base/result.ts";
import { agentEntry } from "./agent_entry.ts";
import { warnAboutUnprefixed } from "./check_ids.ts";
import type { DiscoveredFile } from "./discovery.ts";
import type { IndexEntry } from "./entry_fields.ts";
import {
  asSentence,
  describeCause,
  type FileError,
  type FileErrorCode,
  type IndexerWarning,
  thrownMessage,
} from "./errors.ts";
import { flowEntry } from "./flow_entry.ts";
import { guardrailEntry } from "./guardrail_entry.ts";
import type { IndexedFile } from "./indexed_file.ts";
import {
  describeShape,
  KIND_FOLDERS,
  kindOfShape,
  type PrimitiveKind,
} from "./kinds.ts";
import { toolEntry } from "./tool_entry.ts";

/** Where modules are and how they are imported. */
export interface ModuleSource {
  /** The pack's id. */
  readonly packId: string;
  /** The folder that module paths are relative to: the pack's, or the one of its bundles. */
  readonly root: string;
  /** Where a module really is when that is outside the pack; `undefined` when it is inside, or isn't there. */
  readonly placeOutside: (modulePath: string) => Promise<string | undefined>;
  /** The module of a file: its path, or that of its bundle, relative to the root. */
  readonly moduleOf: (path: string) => string;
  /** Imports a module by its absolute path. */
  readonly importModule: (path: string) => Promise<unknown>;
  /** Whether Zod may be looked for by its version. */
  readonly zodByVersion: boolean;
  /** What to add to the message of a failed import, such as how to grant a permission. */
  readonly importAdvice: (thrown: unknown) => string;
}

/** An entry and the kind that it is of. */
export interface KindEntry {
  /** What the entry describes. */
  readonly kind: PrimitiveKind;
  /** The entry. */
  readonly entry: IndexEntry;
}

/** Imports a file's module and makes its entry, in the order of `spec/handler_runtime.md` 7.4. Never throws. */
export async function indexFile(
  file: DiscoveredFile,
  modulePath: string,
  source: ModuleSource,
  warnings: IndexerWarning[],
): Promise<Result<KindEntry, FileError>> {
  const refuse = (code: FileErrorCode, message: string, cause?: unknown) =>
    err<FileError>({
      code,
      message,
      filePath: file.path,
      ...(cause === undefined ? {} : { cause }),
    });
  try {
    const outside = await source.placeOutside(modulePath);
    if (outside !== undefined) {
      return refuse(
        "file-import-failed",
        `Cannot import ${file.path}: it is ${outside}, outside the pack. Move it into the pack, or grant its folder.`,
      );
    }
    let exports: unknown;
    try {
      exports = await source.importModule(modulePath);
    } catch (thrown) {
      return refuse(
        "file-import-failed",
        asSentence(
          `Cannot import ${file.path}: ${thrownMessage(thrown)}${
            typescriptAdvice(thrown)
          }${source.importAdvice(thrown)}`,
        ),
        describeCause(thrown),
      );
    }
    return await fromExports(file, modulePath, exports, source, warnings);
  } catch (thrown) {
    // A definition runs code of the pack wherever it is read: in a getter, in a default of its schema.
    return refuse(
      "manifest-validation-failed",
      `Cannot index ${file.path}: reading its default export threw ${
        thrownMessage(thrown)
      }.`,
      describeCause(thrown),
    );
  }
}

async function fromExports(
  { path, expectedKind }: DiscoveredFile,
  modulePath: string,
  exports: unknown,
  { packId, zodByVersion }: ModuleSource,
  warnings: IndexerWarning[],
): Promise<Result<KindEntry, FileError>> {
  const refuse = (code: FileErrorCode, message: string, cause?: unknown) =>
    err<FileError>({
      code,
      message,
      filePath: path,
      ...(cause === undefined ? {} : { cause }),
    });
  if (typeof exports !== "object" || exports === null) {
    return refuse("no-default-export", `Cannot index ${path}: no module came.`);
  }
  if (!("default" in exports) || exports.default === undefined) {
    return refuse(
      "no-default-export",
      `Cannot index ${path}: it has no default export. Export its definition as default, or move the file out of the ` +
        "folders that are indexed.",
    );
  }
  const found = openEnvelope(exports.default);
  if (found.kind === "err") {
    return refuse(
      "manifest-validation-failed",
      asSentence(
        `Cannot index ${path}: its definition was refused: ${
          innerMessage(found.error)
        }`,
      ),
      describeCause(found.error),
    );
  }
  const definition = found.value;
  const kind = kindOfShape(definition);
  if (!kind || !isRecord(definition)) {
    return refuse(
      "ambiguous-kind",
      `Cannot index ${path}: its default export, ${
        describeShape(definition)
      }, is no tool, guardrail, agent or flow. A tool has a handler and an input, a guardrail an action with ` +
        "`on-violation` and a kind, an agent instructions and tools, a flow nodes and edges.",
    );
  }
  if (expectedKind && kind !== expectedKind) {
    return refuse(
      "kind-mismatch",
      `Cannot index ${path}: files in ${
        KIND_FOLDERS[expectedKind]
      }/ hold a ${expectedKind}, and this one exports a ` +
        `${kind}. Move it to ${KIND_FOLDERS[kind]}/.`,
    );
  }
  const file: IndexedFile = {
    path,
    modulePath,
    packId,
    zodByVersion,
    kind,
    definition,
    exports: exports as Record<string, unknown>,
    warnings,
  };
  if (kind === "guardrail") warnAboutUnprefixed(file);
  const entry = await ENTRY_OF[kind](file);
  return entry.kind === "ok" ? ok({ kind, entry: entry.value }) : entry;
}

const ENTRY_OF: {
  readonly [Kind in PrimitiveKind]: (
    file: IndexedFile,
  ) => Result<IndexEntry, FileError> | Promise<Result<IndexEntry, FileError>>;
} = {
  tool: toolEntry,
  guardrail: guardrailEntry,
  agent: agentEntry,
  flow: flowEntry,
};

/** What a define helper answered, taken out of its Result once; any other value as it is. */
function openEnvelope(value: unknown): Result<unknown, unknown> {
  if (isRecord(value) && value.kind === "ok" && "value" in value) {
    return ok(value.value);
  }
  return isRecord(value) && value.kind === "err" && "error" in value
    ? err(value.error)
    : ok(value);
}

function innerMessage(error: unknown): string {
  if (isRecord(error) && typeof error.message === "string") {
    return error.message;
  }
  return JSON.stringify(describeCause(error));
}
