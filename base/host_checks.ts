/**
 * Checks that the define helpers run when a host (service, indexer, `mod.ts`) has loaded them.
 *
 * A pack's modules import `./define` in every tool file, so that door must not load Ajv or LiquidJS. The heavy checks
 * are found here at call time instead: a host provides them by loading the module that implements them. Where none is
 * loaded the define helpers do their own structural checks only; the indexer and the service always provide all.
 *
 * They sit on `globalThis` under a registered symbol, since a pack and its host may load two copies of this package.
 *
 * @module
 */

import type { Result } from "./result.ts";

/** The heavy checks, each answering what is wrong in one sentence or `undefined` when nothing is. */
export interface HostChecks {
  /** Whether a JSON Schema compiles; `side` `'input'` also refuses defaults that can't be applied. */
  schemaProblem?: (
    schema: unknown,
    side: "input" | "output",
  ) => string | undefined;
  /** Whether a value fits a JSON Schema: the first problem, with its place. */
  valueProblem?: (schema: unknown, value: unknown) => string | undefined;
  /** A copy of a value with a schema's defaults filled in, or the first thing that keeps the value from fitting. */
  filledValue?: (schema: unknown, value: unknown) => Result<unknown, string>;
  /** Whether a Liquid template is one that the renderer takes. */
  templateProblem?: (template: string) => string | undefined;
  /** Loads a flow: the flow as plain data, or the first thing that is wrong with it. */
  loadFlow?: (
    flow: unknown,
  ) => Result<unknown, { readonly code: string; readonly message: string }>;
}

const KEY = Symbol.for("@kindgi-deno/runtime/host-checks/1");

/** Adds checks to those the define helpers find; a later one replaces an earlier one of the same name. */
export function provideHostChecks(checks: HostChecks): void {
  Object.assign(hostChecks(), checks);
}

/** The checks that have been provided so far in this process. */
export function hostChecks(): HostChecks {
  const root = globalThis as { [KEY]?: HostChecks };
  return root[KEY] ??= {};
}
