/**
 * Reading what a service is to serve: the index, the bundle map, and whether every module is there.
 *
 * @module
 */

import { readBundleMap } from "../base/bundle_map.ts";
import { err, ok, type Result } from "../base/result.ts";
import {
  missingModules,
  moduleResolver,
  type PackIndex,
  readPackIndex,
} from "./pack_index.ts";
import { planSandbox, type SandboxPlan } from "./sandbox.ts";
import type { PackServiceConfig } from "./settings.ts";

/** A pack that can be served. */
export interface LoadedPack {
  /** Its index. */
  readonly index: PackIndex;
  /** From a path in the index to the file that loads. */
  readonly resolveModule: (modulePath: string) => string;
  /** Which tool runs where. */
  readonly plan: SandboxPlan;
}

/** Where a pack is and how it is to be run. */
export type PackPlace = Pick<
  PackServiceConfig,
  "index" | "moduleRoot" | "bundleMap" | "sandbox"
>;

/** Reads a pack; the error lists every problem. Imports nothing. */
export async function loadPack(
  config: PackPlace,
): Promise<Result<LoadedPack, readonly string[]>> {
  const index = await readPackIndex(config.index);
  if (index.kind === "err") return err([index.error]);
  const bundleMap = config.bundleMap === undefined
    ? ok({})
    : await readBundleMap(config.bundleMap);
  if (bundleMap.kind === "err") return err([bundleMap.error.message]);
  const resolveModule = moduleResolver(config.moduleRoot, bundleMap.value);
  const plan = planSandbox(index.value, resolveModule, config.sandbox);
  const problems = [
    ...plan.problems,
    ...await missingModules(index.value, resolveModule),
  ];
  if (problems.length > 0) return err(problems);
  return ok({ index: index.value, resolveModule, plan });
}
