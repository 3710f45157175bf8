/**
 * An import map for a pack that has a `package.json` but nothing installed: its dependencies at the versions that its
 * lock names.
 *
 * @module
 */

import { join } from "@std/path/posix/join";
import { readTextFile } from "../base/platform.ts";
import { err, isRecord, ok, type Result } from "../base/result.ts";
import {
  type DenoLock,
  denoLockOf,
  type LockedPackage,
  topPackages,
} from "./package_lock.ts";

/** How the names that a pack imports from npm resolve. */
export interface NpmImports {
  /** Import map entries: each name, and its subpaths. */
  readonly imports: Readonly<Record<string, string>>;
  /** What pins everything below those, where the pack's lock says it exactly. */
  readonly lock?: DenoLock;
}

/** Finds out how the dependencies in a folder's `package.json` resolve. */
export async function npmImports(
  folder: string,
): Promise<Result<NpmImports, string>> {
  const manifest = await readJsonObject(join(folder, "package.json"));
  if (manifest.kind === "err") return manifest;
  const read = await readJsonObject(join(folder, "package-lock.json"));
  const packageLock = read.kind === "ok" ? read.value : {};
  const locked = topPackages(packageLock);
  const imports: Record<string, string> = {};
  const names: string[] = [];
  for (const list of ["dependencies", "optionalDependencies"]) {
    const wanted = manifest.value[list];
    if (!isRecord(wanted)) continue;
    for (const [alias, range] of Object.entries(wanted)) {
      const asked = typeof range === "string" && askedFor(alias, range);
      if (!asked) continue;
      const { name, version } = locked.get(alias) ?? asked;
      imports[alias] = `npm:${name}@${version}`;
      imports[`${alias}/`] = `npm:/${name}@${version}/`;
      names.push(alias);
    }
  }
  const lock = denoLockOf(packageLock, names);
  return ok({ imports, ...(lock === undefined ? {} : { lock }) });
}

/** The package and versions that a range names; `undefined` for a folder, an address or a repository. */
function askedFor(alias: string, range: string): LockedPackage | undefined {
  const other = /^npm:((?:@[^/@]+\/)?[^/@]+)@([^:/]+)$/.exec(range);
  if (other !== null) return { name: other[1]!, version: other[2]! };
  return /[:/]/.test(range) ? undefined : { name: alias, version: range };
}

async function readJsonObject(
  path: string,
): Promise<Result<Record<string, unknown>, string>> {
  try {
    const value: unknown = JSON.parse(await readTextFile(path));
    if (isRecord(value)) return ok(value);
    return err(`Cannot read ${path}: it is not a JSON object`);
  } catch (error) {
    return err(`Cannot read ${path}: ${(error as Error).message}`);
  }
}
