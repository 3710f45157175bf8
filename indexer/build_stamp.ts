/**
 * The number and the time of a build.
 *
 * @module
 */
import { readFile } from "node:fs/promises";
import { isRecord } from "../base/result.ts";

/**
 * The number of a build on this day: `YYYYMMDD.N` in UTC, N one more than that of an index of the same day at the output
 * path, else 1 (`spec/handler_runtime.md` 7.7).
 */
export async function nextArtifactVersion(
  outputPath: string,
  now: Date,
): Promise<string> {
  const day = now.toISOString().slice(0, 10).replaceAll("-", "");
  const before = await readIndexFile(outputPath);
  const version = isRecord(before) ? before.artifactVersion : undefined;
  const match = typeof version === "string"
    ? /^(\d{8})\.([1-9]\d{0,14})$/.exec(version)
    : null;
  return `${day}.${match?.[1] === day ? Number(match[2]) + 1 : 1}`;
}

/** The JSON at a path, or `undefined` when there is none that can be read. */
export async function readIndexFile(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch {
    return undefined;
  }
}
