/**
 * The outcome of checking a specification that stands by itself, such as a tenant's policy.
 *
 * @module
 */

import type { DefinitionIssue } from "./issues.ts";
import { reasonOf } from "./plain_copy.ts";

/** The outcome of a `validate…Spec` function: the same value with its type, or everything that is wrong with it. */
export type SpecValidation<Spec> =
  | {
    /** The value is fine. */
    readonly kind: "ok";
    /** The value that was given. */
    readonly value: Spec;
  }
  | {
    /** The value is not fine. */
    readonly kind: "err";
    /** What is wrong, each with its place. */
    readonly issues: DefinitionIssue[];
  };

/** Checks a value by rules that find its issues; one that can't be read (a getter that throws) is an issue at `""`. */
export function validateSpec<Spec>(
  value: unknown,
  issuesOf: (value: unknown) => DefinitionIssue[],
): SpecValidation<Spec> {
  let issues: DefinitionIssue[];
  try {
    issues = issuesOf(value);
  } catch (thrown) {
    issues = [{ path: "", message: `can't be read: ${reasonOf(thrown)}` }];
  }
  return issues.length === 0
    ? { kind: "ok", value: value as Spec }
    : { kind: "err", issues };
}
