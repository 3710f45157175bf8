/**
 * An agent's entry in the index.
 *
 * @module
 */
import { err, type Result } from "../base/result.ts";
import {
  finishEntry,
  type IndexEntry,
  optionalFields,
  requiredFields,
} from "./entry_fields.ts";
import type { FileError } from "./errors.ts";
import { fileError, type IndexedFile } from "./indexed_file.ts";
import { isInstructions } from "./kinds.ts";

/** Makes an agent's entry (`spec/handler_runtime.md` 7.5). What its fields hold is for the runtime to check. */
export function agentEntry(
  file: IndexedFile,
): Result<IndexEntry, FileError> {
  const required = requiredFields(file, {
    string: ["id", "version", "name"],
    array: ["capabilities", "tools"],
  });
  if (required.kind === "err") return required;
  const { instructions } = file.definition;
  if (!isInstructions(instructions)) {
    return err(
      fileError(
        file,
        "manifest-validation-failed",
        "its `instructions` are neither a text nor a reference to a prompt block, `{ prompt, version }`",
        { field: "instructions" },
      ),
    );
  }
  return finishEntry(file, {
    ...required.value,
    instructions,
    ...optionalFields(file.definition, {
      array: ["retrieval", "guardrails", "parameters", "tags", "settings"],
      object: [
        "budget",
        "conversationPolicy",
        "output",
        "toolErrors",
        "modelSettings",
        "memory",
      ],
      string: ["preferredProvider", "preferredModel", "description"],
    }),
    modulePath: file.path,
  });
}
