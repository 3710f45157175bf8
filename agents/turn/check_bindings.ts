/**
 * Looking at what a turn is to work with: what is missing is told before the turn begins, and not by one of its steps.
 *
 * @module
 */

import { isRecord } from "../../base/result.ts";
import type { InvokeAgentBindings } from "./bindings.ts";

/** What no turn can do without, and where a host has it from. */
const REQUIRED = {
  runBinding: "createRunBinding({ journal })",
  providerRegistry: "createProviderRegistry().registry",
  toolRegistry: "createToolRegistry()",
  memoryBinding: "a store's memory",
  conversationBinding: "a store's conversations",
  runSnapshotBinding: "a store's snapshots",
} as const;

const NAMES = Object.keys(REQUIRED) as (keyof typeof REQUIRED)[];

/** Bindings with a run binding. */
export type CompleteBindings =
  & InvokeAgentBindings
  & Required<Pick<InvokeAgentBindings, "runBinding">>;

/**
 * The bindings, complete.
 *
 * @param doing What can't be done without, such as `invoke an agent`.
 * @throws {TypeError} Naming what is missing, and where to have it from.
 */
export function completeBindings(
  bindings: InvokeAgentBindings,
  doing: string,
): CompleteBindings {
  const given: unknown = bindings;
  const missing = NAMES.find((name) =>
    !isRecord(given) || given[name] === undefined
  );
  if (missing === undefined) return bindings as CompleteBindings;
  throw new TypeError(
    `Cannot ${doing} without bindings.${missing}: give one, such as ${
      REQUIRED[missing]
    }`,
  );
}
