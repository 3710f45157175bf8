/**
 * What a Zod schema checks and its JSON Schema doesn't (decision 16).
 *
 * @module
 */
import { isRecord } from "../base/result.ts";
import type { ZodSchema } from "../base/zod_schema.ts";
import { patternWithoutFlags } from "./pattern_without_flags.ts";
import { allZodParts, zodDefinition } from "./zod_tree.ts";

/** A check that conversion drops or changes. */
export interface ZodLoss {
  /** Dropped altogether, or a pattern that lost its flags. */
  readonly code: "refinement-dropped" | "regex-flags-dropped";
  /** Where the values that it checks are. */
  readonly path: string;
  /** The check in words; for a pattern, its regular expression. */
  readonly what: string;
  /** For a pattern: one without flags that means the same, when there is one. */
  readonly instead?: string;
}

/** Checks that have no keyword in JSON Schema, in words. */
const DROPPED: ReadonlyMap<unknown, string> = new Map([
  ["custom", "a refinement"],
  ["property", "a check of a property"],
]);

/** Flags that change what a pattern matches, apart from `u` and `v`, with which JSON Schema reads every pattern. */
const MEANINGFUL_FLAGS = /[ims]/;

/** Every check of a schema that its JSON Schema on this side lacks, outer parts first. */
export function zodLosses(
  root: ZodSchema,
  io: "input" | "output",
): ZodLoss[] {
  return allZodParts(root, io).flatMap(({ schema, path }) => {
    const own = zodDefinition(schema);
    const checks = Array.isArray(own.checks) ? own.checks : [];
    // A schema of a string format is its own first check.
    return [
      flagsLost(own, path),
      ...checks.map((check) => {
        const def = definitionOf(check);
        return refinementLost(def, path) ?? flagsLost(def, path);
      }),
    ].filter((loss) => loss !== undefined);
  });
}

function refinementLost(
  def: Record<string, unknown>,
  path: string,
): ZodLoss | undefined {
  const what = DROPPED.get(def.check);
  return what === undefined
    ? undefined
    : { code: "refinement-dropped", path, what };
}

function flagsLost(
  def: Record<string, unknown>,
  path: string,
): ZodLoss | undefined {
  const { check, pattern } = def;
  if (check !== "string_format" || !(pattern instanceof RegExp)) return;
  if (!MEANINGFUL_FLAGS.test(pattern.flags)) return;
  const instead = patternWithoutFlags(pattern);
  return {
    code: "regex-flags-dropped",
    path,
    what: String(pattern),
    ...(instead === undefined ? {} : { instead }),
  };
}

function definitionOf(check: unknown): Record<string, unknown> {
  const zod = isRecord(check) ? check._zod : undefined;
  const def = isRecord(zod) ? zod.def : undefined;
  return isRecord(def) ? def : {};
}
