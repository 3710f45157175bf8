/**
 * A build's map of source paths to bundles.
 *
 * @module
 */
import { readFile } from "node:fs/promises";
import { err, isRecord, ok, type Result } from "../base/result.ts";
import { describeCause, thrownMessage } from "./errors.ts";

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
  /** What reading or parsing it threw. */
  readonly cause?: unknown;
}

/** Reads a bundle map: a JSON object whose every value is a non-empty string (`spec/handler_runtime.md` 7.8). */
export async function readBundleMap(
  file: string,
): Promise<Result<BundleMap, BundleMapError>> {
  const refuse = (reason: string, cause?: unknown) =>
    err<BundleMapError>({
      code: "bundle-map-invalid",
      message: `Cannot use the bundle map ${file}: ${reason}.`,
      filePath: file,
      ...(cause === undefined ? {} : { cause: describeCause(cause) }),
    });
  let map: unknown;
  try {
    map = JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    return refuse(thrownMessage(error), error);
  }
  if (!isRecord(map)) {
    return refuse("it is not a JSON object of source path → bundle path");
  }
  for (const [source, bundle] of Object.entries(map)) {
    if (typeof bundle === "string" && bundle !== "") continue;
    return refuse(`the bundle of ${JSON.stringify(source)} is not a path`);
  }
  return ok(map as BundleMap);
}
