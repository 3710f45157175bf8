/**
 * The fields of a definition that an index entry carries (`spec/handler_runtime.md` 7.5).
 *
 * @module
 */
import { err, isRecord, ok, type Result } from "../base/result.ts";
import type { FileError } from "./errors.ts";
import { fileError, type IndexedFile } from "./indexed_file.ts";
import { toPlainJson } from "./plain_json.ts";

/** An entry of one of the index's lists, as plain JSON. */
export interface IndexEntry {
  /** The id, by which the list is sorted. */
  readonly id: string;
  /** The version, where the kind has one and it is given. */
  readonly version?: string;
  readonly [field: string]: unknown;
}

/** The JSON types that a field is told apart by. */
export type FieldType = "string" | "boolean" | "object" | "array";

/** Names of fields by their type. */
export type FieldTypes = {
  readonly [Type in FieldType]?: readonly string[];
};

/** Whether a value has a field's type. */
export function hasType(value: unknown, type: FieldType): boolean {
  switch (type) {
    case "string":
      return typeof value === "string";
    case "boolean":
      return typeof value === "boolean";
    case "object":
      return isRecord(value);
    case "array":
      return Array.isArray(value);
  }
}

/** Those of the fields that the definition has with the right type; the others are left out. */
export function optionalFields(
  definition: Readonly<Record<string, unknown>>,
  types: FieldTypes,
): Record<string, unknown> {
  return Object.fromEntries(
    namesWithTypes(types)
      .filter(([name, type]) => hasType(definition[name], type))
      .map(([name]) => [name, definition[name]]),
  );
}

/** The fields, all of which the definition must have with the right type. */
export function requiredFields(
  file: IndexedFile,
  types: FieldTypes,
): Result<Record<string, unknown>, FileError> {
  for (const [name, type] of namesWithTypes(types)) {
    if (hasType(file.definition[name], type)) continue;
    const article = type === "array" || type === "object" ? "an" : "a";
    const problem = file.definition[name] === undefined
      ? "is missing"
      : `is not ${article} ${type}`;
    return err(
      fileError(
        file,
        "manifest-validation-failed",
        `its \`${name}\` ${problem}. Give it ${article} ${type}`,
        { field: name },
      ),
    );
  }
  return ok(optionalFields(file.definition, types));
}

/**
 * The finished entry as plain JSON; a value that JSON can't write fails the file.
 *
 * `schemas` are fields that are plain JSON already.
 */
export function finishEntry(
  file: IndexedFile,
  entry: Record<string, unknown>,
  schemas: Readonly<Record<string, unknown>> = {},
): Result<IndexEntry, FileError> {
  const plain = toPlainJson(entry);
  if (plain.kind === "ok") {
    return ok({ ...plain.value as IndexEntry, ...schemas });
  }
  const { path, reason } = plain.error;
  const field = path.split("/")[1];
  return err(
    fileError(
      file,
      "manifest-validation-failed",
      `${path === "" ? "it" : `the value at ${path}`} ${reason}`,
      field === undefined ? {} : { field },
    ),
  );
}

function namesWithTypes(types: FieldTypes): [string, FieldType][] {
  return (Object.entries(types) as [FieldType, readonly string[]][])
    .flatMap(([type, names]) =>
      names.map((name): [string, FieldType] => [name, type])
    );
}
