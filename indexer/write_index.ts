/**
 * Putting the index on disk, all of it or nothing.
 *
 * @module
 */
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import process from "node:process";
import { err, ok, type Result } from "../base/result.ts";
import { describeCause, type RunFailure, thrownMessage } from "./errors.ts";

/** Writes a file beside its place and moves it there; missing folders are made, and a failure leaves nothing behind. */
export async function writeAtomically(
  path: string,
  text: string,
): Promise<Result<undefined, RunFailure>> {
  const temporary = `${path}.tmp-${process.pid}-${Date.now()}`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(temporary, text);
    await rename(temporary, path);
    return ok(undefined);
  } catch (error) {
    // Below a file there is nothing to remove, and removing it is what fails then.
    await rm(temporary, { force: true }).catch(() => {});
    return err({
      code: "output-write-failed",
      message: `Cannot write the index to ${path}: ${
        thrownMessage(error)
      }. Name another place with outputPath (--output).`,
      filePath: path,
      cause: describeCause(error),
    });
  }
}
