/**
 * Looking at what a host opens a runtime with: what is missing or misspelt is told now, and not by a tenant's first turn.
 *
 * @module
 */

import { isRecord } from "../../base/result.ts";
import { quoted } from "../agent/mod.ts";
import type { OpenAgentRuntimeInput } from "./types.ts";

/** What an option has to be: `undefined` when it is, else what to give instead. */
type Check = (given: unknown) => string | undefined;

/** The parts of a store that a runtime uses. */
const STORE_PARTS = [
  "conversations",
  "snapshots",
  "memory",
  "journal",
  "approvals",
  "provenance",
  "usage",
] as const;

const A_STORE =
  "give an opened store, such as createMemoryStore() or openSqliteStore(path)";

/** Every option, and what it has to be. */
const OPTIONS: Readonly<Record<keyof OpenAgentRuntimeInput, Check>> = {
  store: (given) => {
    if (given instanceof Promise) return "await it";
    const isStore = isRecord(given) &&
      STORE_PARTS.every((part) => isRecord(given[part]));
    return isStore ? undefined : A_STORE;
  },
  providers: (given) => list(given, (item) => isRecord(item), "list"),
  agents: (given) =>
    optional(
      given,
      () =>
        isList(given) && given.some(isResult)
          ? "give the value of what defineAgent answered"
          : list(given, isNamed, "get"),
    ),
  tools: (given) => optional(given, () => list(given, isRecord, "forTenant")),
  guardrails: (given) => optional(given, () => list(given, isNamed, "get")),
  checks: (given) =>
    optional(
      given,
      () =>
        list(given, (item) => isNamed(item) && has(item, "evaluate"), "get"),
    ),
  blocks: (given) => optional(given, () => list(given, isNamed, "resolve")),
  policies: (given) =>
    optional(
      given,
      () => list(given, (item) => has(item, "evaluate"), "evaluate"),
    ),
  renderer: (given) =>
    optional(
      given,
      () =>
        given === "worker" || given === "in-process" || has(given, "render")
          ? undefined
          : 'give "worker", "in-process" or a renderer',
    ),
  keyProvider: (given) => optional(given, () => having(given, "signingKey")),
  authorize: (given) => optional(given, () => aFunction(given)),
  hitl: (given) =>
    optional(
      given,
      () => given === "none" ? undefined : having(given, "enqueue"),
    ),
  embeddings: (given) => optional(given, () => having(given, "resolve")),
  onEvent: (given) => optional(given, () => aFunction(given)),
  log: (given) => optional(given, () => having(given, "child")),
  maxToolResultBytes: (given) => optional(given, () => count(given, "bytes")),
  leaseMs: (given) => optional(given, () => count(given, "milliseconds")),
};

/**
 * Holds the options to what they have to be.
 *
 * @throws {TypeError} Naming the option and what to give instead.
 */
export function checkRuntimeInput(input: unknown): void {
  if (!isRecord(input)) {
    throw new TypeError(
      "Cannot open a runtime without options: give { store, providers, … }",
    );
  }
  const unknown = Object.keys(input).find((key) =>
    !Object.hasOwn(OPTIONS, key)
  );
  if (unknown !== undefined) {
    throw new TypeError(
      `Cannot open a runtime: it has no option ${quoted(unknown)}; it takes ${
        Object.keys(OPTIONS).join(", ")
      }`,
    );
  }
  for (const [option, check] of Object.entries(OPTIONS)) {
    const wayOut = check(input[option]);
    if (wayOut === undefined) continue;
    throw new TypeError(
      input[option] === undefined
        ? `Cannot open a runtime without ${quoted(option)}: ${wayOut}`
        : `Cannot open a runtime: ${
          quoted(option)
        } isn't what it should be: ${wayOut}`,
    );
  }
}

function optional(
  given: unknown,
  check: () => string | undefined,
): string | undefined {
  return given === undefined ? undefined : check();
}

/** A list of such items, or a registry that is known by a method. */
function list(
  given: unknown,
  isItem: (item: unknown) => boolean,
  method: string,
): string | undefined {
  if (!isList(given)) {
    return has(given, method)
      ? undefined
      : `give a list, or a registry with ${method}()`;
  }
  const wrong = given.findIndex((item) => !isItem(item));
  // Not shown: whatever was given by mistake may be a secret.
  return wrong === -1 ? undefined : `its item ${wrong} is none`;
}

function isList(given: unknown): given is readonly unknown[] {
  return Array.isArray(given);
}

function isNamed(item: unknown): boolean {
  return isRecord(item) && typeof item.id === "string";
}

function isResult(item: unknown): boolean {
  return isRecord(item) && (item.kind === "ok" || item.kind === "err") &&
    item.id === undefined;
}

function has(given: unknown, method: string): boolean {
  return (isRecord(given) || typeof given === "function") &&
    typeof (given as Record<string, unknown>)[method] === "function";
}

function having(given: unknown, method: string): string | undefined {
  return has(given, method) ? undefined : `give one with ${method}()`;
}

function count(given: unknown, of: string): string | undefined {
  return Number.isSafeInteger(given) && (given as number) > 0
    ? undefined
    : `give a whole number of ${of}`;
}

function aFunction(given: unknown): string | undefined {
  return typeof given === "function" ? undefined : "give a function";
}
