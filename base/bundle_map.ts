/**
 * A build's map of source paths to bundles.
 *
 * @module
 */

import { fileProblem, readTextFile } from "./platform.ts";
import { err, isRecord, ok, type Result } from "./result.ts";

/** Source path as the index records it → the bundle that loads. */
export type BundleMap = Readonly<Record<string, string>>;

/** Why a bundle map can't be used. */
export interface BundleMapError {
  /** The only code there is. */
  readonly code: "bundle-map-invalid";
  /** What is wrong, with the file's name. */
  readonly message: string;
  /** The file. */
  readonly filePath: string;
}

/** Reads a bundle map: a JSON object whose every value is a non-empty string (`spec/handler_runtime.md` 7.8). */
export async function readBundleMap(
  file: string,
): Promise<Result<BundleMap, BundleMapError>> {
  const refuse = (reason: string) =>
    err<BundleMapError>({
      code: "bundle-map-invalid",
      message: `Cannot use the bundle map ${file}: ${reason}`,
      filePath: file,
    });
  let text: string;
  try {
    text = await readTextFile(file);
  } catch (error) {
    return refuse(fileProblem(error));
  }
  let map: unknown;
  try {
    map = JSON.parse(text);
  } catch (error) {
    return refuse(`it is not JSON (${(error as Error).message})`);
  }
  if (!isRecord(map)) {
    return refuse("it is not a JSON object of source path to bundle path");
  }
  for (const [source, bundle] of Object.entries(map)) {
    if (typeof bundle === "string" && bundle !== "") continue;
    return refuse(`the bundle of ${JSON.stringify(source)} is not a path`);
  }
  return ok(map as BundleMap);
}
