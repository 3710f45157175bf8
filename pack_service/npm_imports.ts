/**
 * An import map for a pack that has a `package.json` but nothing installed: its dependencies at the versions that its
 * lock names.
 *
 * @module
 */

import { join } from "node:path";
import { readTextFile } from "../base/platform.ts";
import { err, isRecord, ok, type Result } from "../base/result.ts";

/** Import map entries for a folder's npm dependencies: each name, and its subpaths. */
export async function npmImports(
  folder: string,
): Promise<Result<Record<string, string>, string>> {
  const manifest = await readJsonObject(join(folder, "package.json"));
  if (manifest.kind === "err") return manifest;
  const locked = await readJsonObject(join(folder, "package-lock.json"));
  const versions = locked.kind === "ok" ? lockedVersions(locked.value) : {};
  const imports: Record<string, string> = {};
  for (const list of ["dependencies", "optionalDependencies"]) {
    const wanted = manifest.value[list];
    if (!isRecord(wanted)) continue;
    for (const [name, range] of Object.entries(wanted)) {
      if (typeof range !== "string" || !isRegistryRange(range)) continue;
      const target = `${name}@${versions[name] ?? range}`;
      imports[name] = `npm:${target}`;
      imports[`${name}/`] = `npm:/${target}/`;
    }
  }
  return ok(imports);
}

/** The versions of the direct dependencies in a `package-lock.json` of format 2 or 3. */
function lockedVersions(
  lock: Readonly<Record<string, unknown>>,
): Record<string, string> {
  const versions: Record<string, string> = {};
  if (!isRecord(lock.packages)) return versions;
  const folder = "node_modules/";
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (!path.startsWith(folder) || path.includes(folder, 1)) continue;
    if (isRecord(entry) && typeof entry.version === "string") {
      versions[path.slice(folder.length)] = entry.version;
    }
  }
  return versions;
}

/** Whether a range names a version of the registry, not a folder, an address or a repository. */
function isRegistryRange(range: string): boolean {
  return !/[:/]/.test(range);
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
