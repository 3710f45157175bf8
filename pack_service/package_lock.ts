/**
 * What a `package-lock.json` pins, as a `deno.lock`: every version down to the last and the integrity of each archive.
 *
 * @module
 */

import { isRecord } from "../base/result.ts";

/** A package as a pack names it: the name that it is imported by, and what stands behind it. */
export interface LockedPackage {
  /** The package's own name; another one than it is imported by where it has an alias. */
  readonly name: string;
  /** Its version: an exact one where it comes from a lock. */
  readonly version: string;
}

/** A `deno.lock` of format 5, the part that concerns npm. */
export interface DenoLock {
  /** Its format. */
  readonly version: "5";
  /** From what is asked for to the version that it gets. */
  readonly specifiers: Readonly<Record<string, string>>;
  /** From `name@version` to what Deno records about a package. */
  readonly npm: Readonly<Record<string, DenoLockPackage>>;
}

/** A package in a `deno.lock`. */
export interface DenoLockPackage {
  readonly integrity: string;
  readonly dependencies?: readonly string[];
  readonly optionalDependencies?: readonly string[];
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
}

const FOLDER = "node_modules/";

/** The packages at the top of a `package-lock.json` of format 2 or 3, by the name that they are imported by. */
export function topPackages(
  lock: Readonly<Record<string, unknown>>,
): ReadonlyMap<string, LockedPackage> {
  const found = new Map<string, LockedPackage>();
  if (!isRecord(lock.packages)) return found;
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (!path.startsWith(FOLDER) || path.includes(FOLDER, 1)) continue;
    if (!isRecord(entry) || typeof entry.version !== "string") continue;
    const alias = path.slice(FOLDER.length);
    const name = typeof entry.name === "string" ? entry.name : alias;
    found.set(alias, { name, version: entry.version });
  }
  return found;
}

/**
 * A `deno.lock` for the packages that `direct` names and all that they depend on; `undefined` where there is no exact
 * one: something comes from elsewhere than a registry, or one version of a package stands twice with other versions below
 * it, which Deno doesn't tell apart.
 */
export function denoLockOf(
  lock: Readonly<Record<string, unknown>>,
  direct: readonly string[],
): DenoLock | undefined {
  if (!isRecord(lock.packages)) return undefined;
  const { packages } = lock;
  const specifiers: Record<string, string> = {};
  const npm: Record<string, DenoLockPackage> = {};
  const seen = new Set<string>();
  const open = direct.map((alias) => FOLDER + alias);
  for (const path of open) {
    const found = readPackage(packages, path);
    if (found === undefined) return undefined;
    specifiers[`npm:${found.id}`] = found.version;
  }
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    const found = readPackage(packages, path);
    if (found === undefined) return undefined;
    const dependencies: string[] = [];
    const optionalDependencies: string[] = [];
    for (const { alias, optional } of found.needs) {
      const at = placeOf(packages, path, alias);
      const needed = at === undefined ? undefined : readPackage(packages, at);
      if (needed === undefined || at === undefined) {
        if (optional) continue;
        return undefined;
      }
      open.push(at);
      const id = alias === needed.name
        ? needed.id
        : `${alias}@npm:${needed.id}`;
      (optional ? optionalDependencies : dependencies).push(id);
    }
    const entry = {
      integrity: found.integrity,
      ...list("dependencies", dependencies),
      ...list("optionalDependencies", optionalDependencies),
      ...list("os", found.os),
      ...list("cpu", found.cpu),
    };
    const other = npm[found.id];
    if (other && JSON.stringify(other) !== JSON.stringify(entry)) {
      return undefined;
    }
    npm[found.id] = entry;
  }
  return { version: "5", specifiers, npm };
}

interface FoundPackage extends LockedPackage {
  readonly id: string;
  readonly integrity: string;
  readonly needs: readonly { alias: string; optional: boolean }[];
  readonly os: readonly string[];
  readonly cpu: readonly string[];
}

function readPackage(
  packages: Readonly<Record<string, unknown>>,
  path: string,
): FoundPackage | undefined {
  const entry = packages[path];
  if (!isRecord(entry) || entry.link === true) return undefined;
  const { version, integrity } = entry;
  if (typeof version !== "string" || typeof integrity !== "string") {
    return undefined;
  }
  const alias = path.slice(path.lastIndexOf(FOLDER) + FOLDER.length);
  const name = typeof entry.name === "string" ? entry.name : alias;
  const optional = new Set(keysOf(entry.optionalDependencies));
  const peers = keysOf(entry.peerDependencies).filter((peer) =>
    !optional.has(peer)
  );
  const optionalPeers = new Set(
    Object.entries(
      isRecord(entry.peerDependenciesMeta) ? entry.peerDependenciesMeta : {},
    ).flatMap(([peer, meta]) =>
      isRecord(meta) && meta.optional === true ? [peer] : []
    ),
  );
  const required = new Set(
    [...keysOf(entry.dependencies), ...peers].filter((need) =>
      !optional.has(need)
    ),
  );
  return {
    name,
    version,
    id: `${name}@${version}`,
    integrity,
    needs: [
      ...[...required].map((alias) => ({
        alias,
        optional: optionalPeers.has(alias),
      })),
      ...[...optional].map((alias) => ({ alias, optional: true })),
    ].sort((a, b) => a.alias < b.alias ? -1 : 1),
    os: textsOf(entry.os),
    cpu: textsOf(entry.cpu),
  };
}

/** Where a package finds one that it imports: the nearest folder upwards, as Node looks for it. */
function placeOf(
  packages: Readonly<Record<string, unknown>>,
  from: string,
  alias: string,
): string | undefined {
  for (let folder = from;;) {
    const path = folder === "" ? FOLDER + alias : `${folder}/${FOLDER}${alias}`;
    if (Object.hasOwn(packages, path)) return path;
    if (folder === "") return undefined;
    folder = folder.slice(0, Math.max(0, folder.lastIndexOf(FOLDER) - 1));
  }
}

function list(name: string, values: readonly string[]): object {
  return values.length === 0 ? {} : { [name]: values };
}

function keysOf(value: unknown): string[] {
  return isRecord(value) ? Object.keys(value) : [];
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value)
    ? value.filter((text) => typeof text === "string")
    : [];
}
