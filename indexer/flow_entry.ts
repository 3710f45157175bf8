/**
 * A flow's entry in the index.
 *
 * @module
 */
import { loadFlow } from "../agents/flow/mod.ts";
import { err, type Result } from "../base/result.ts";
import { finishEntry, type IndexEntry } from "./entry_fields.ts";
import type { FileError } from "./errors.ts";
import { fileError, type IndexedFile } from "./indexed_file.ts";

/** Version of the runtime payload that a flow's entry is written for. */
const KERNEL_PAYLOAD_VERSION = 1;

/** What an entry takes from a flow: all of it but `$schema`. */
const CARRIED = [
  "id",
  "version",
  "name",
  "description",
  "nodes",
  "edges",
  "maxParallelism",
  "metadata",
  "output",
];

/**
 * Makes a flow's entry once the flow loads; a flow that doesn't is refused with the loader's own words
 * (`spec/handler_runtime.md` 7.5, `spec/flow.md`). The entry holds the flow as written, without the loader's defaults.
 */
export function flowEntry(file: IndexedFile): Result<IndexEntry, FileError> {
  // As plain JSON first: what the index can't carry must not count for the loader either.
  const plain = finishEntry(file, { ...file.definition });
  if (plain.kind === "err") return plain;
  const flow = plain.value;
  const loaded = loadFlow(flow);
  if (loaded.kind === "err") {
    return err(
      fileError(file, "manifest-validation-failed", loaded.error.message, {
        cause: JSON.parse(JSON.stringify(loaded.error)),
      }),
    );
  }
  return finishEntry(file, {
    ...Object.fromEntries(
      CARRIED.filter((key) => key in flow).map((key) => [key, flow[key]]),
    ),
    kernelPayloadVersion: KERNEL_PAYLOAD_VERSION,
    modulePath: file.path,
  });
}
