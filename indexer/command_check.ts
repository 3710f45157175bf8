/**
 * `--check`: comparing a pack with the index on disk.
 *
 * @module
 */
import { readFile } from "node:fs/promises";
import { canonicalJson } from "../base/canonical_json.ts";
import { err, isRecord, ok, type Result } from "../base/result.ts";
import type { CollectedPack } from "./collect.ts";
import { thrownMessage } from "./errors.ts";
import { type IndexDifference, indexDifferences } from "./index_difference.ts";
import { indexDocument } from "./index_document.ts";
import { type IndexReport, indexReport } from "./run.ts";

/** What is compared: the number and time of the build are those of the index on disk unless they are given. */
export interface CheckOptions {
  /** Where the index is. */
  readonly outputPath: string;
  /** The build's number. */
  readonly artifactVersion?: string | undefined;
  /** The build's time. */
  readonly publishedAt?: string | undefined;
}

/** What differs between a pack and its index on disk. */
export interface CheckOutcome {
  /** What a run would report. */
  readonly report: IndexReport;
  /** Whether the file has the bytes that a run would write. */
  readonly current: boolean;
  /** The differences in what the two say. */
  readonly differences: readonly IndexDifference[];
}

/** Compares, writing nothing; the error says why there is nothing to compare with. */
export async function checkIndex(
  collected: CollectedPack,
  options: CheckOptions,
): Promise<Result<CheckOutcome, string>> {
  const { outputPath } = options;
  let text: string;
  let before: unknown;
  try {
    text = await readFile(outputPath, "utf8");
    before = JSON.parse(text);
  } catch (error) {
    return err(
      `Cannot compare with ${outputPath}: ${
        thrownMessage(error)
      }. Write it first, without --check.`,
    );
  }
  if (
    !isRecord(before) || typeof before.artifactVersion !== "string" ||
    typeof before.publishedAt !== "string"
  ) {
    return err(
      `Cannot compare with ${outputPath}: it is no index. Write it anew, without --check.`,
    );
  }
  const stamp = {
    artifactVersion: options.artifactVersion ?? before.artifactVersion,
    publishedAt: options.publishedAt ?? before.publishedAt,
  };
  const now = canonicalJson(indexDocument(collected, stamp));
  return ok({
    report: indexReport(collected, stamp, outputPath),
    current: now === text,
    differences: now === text ? [] : indexDifferences(before, JSON.parse(now)),
  });
}
