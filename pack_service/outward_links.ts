/**
 * Symbolic links that lead out of what an executor may read.
 *
 * Deno checks the path that code names, not the one that it leads to: a link inside a folder that may be read opens
 * whatever it points to. So such links are denied by name (`spec/executors.md`, Permissions).
 *
 * @module
 */

import { listFolder, realPath } from "../base/platform.ts";
import { basename } from "@std/path/posix/basename";
import { dirname } from "@std/path/posix/dirname";
import { join } from "@std/path/posix/join";
import { relative } from "@std/path/posix/relative";

/** A symbolic link. */
export interface Link {
  /** Its own path. */
  readonly path: string;
  /** The folder that it lies in, without links on the way. */
  readonly folder: string;
  /** Where it leads in the end; `undefined` when nothing is there. */
  readonly target: string | undefined;
}

/**
 * Every symbolic link below `folder`.
 *
 * Packages are looked at by their entry in `node_modules` only: an archive of the registry holds no links.
 */
export async function findLinks(folder: string): Promise<readonly Link[]> {
  // A folder that can't be read holds nothing for an executor either.
  const entries = await listFolder(folder);
  const name = basename(folder);
  const packages = name === "node_modules" ||
    name.startsWith("@") && basename(dirname(folder)) === "node_modules";
  const found = await Promise.all(entries.map(async (entry) => {
    const path = join(folder, entry.name);
    if (entry.isLink) {
      const [real, target] = await Promise.all([
        realPath(folder),
        realPath(path),
      ]);
      return [{ path, folder: real ?? folder, target }];
    }
    const enter = entry.isFolder &&
      (!packages || entry.name.startsWith("@"));
    return enter ? await findLinks(path) : [];
  }));
  return found.flat();
}

/**
 * The paths of the links that lead to none of the `readable` paths, and of those that lead to a folder with such a link.
 * One that leads to nothing is among them: what it names may come.
 */
export async function outwardLinks(
  links: readonly Link[],
  readable: readonly string[],
): Promise<string[]> {
  const allowed = (await Promise.all(readable.map(realPath)))
    .filter((path) => path !== undefined);
  const leadsOut = ({ target }: Link): boolean =>
    target === undefined || !allowed.some((path) => covers(path, target));
  const denied = new Set(links.filter(leadsOut));
  for (let before = -1; before !== denied.size;) {
    before = denied.size;
    for (const link of links) {
      const { target } = link;
      const passes = target !== undefined &&
        [...denied].some(({ folder }) => covers(target, folder));
      if (passes) denied.add(link);
    }
  }
  return [...denied].map(({ path }) => path).sort();
}

/** Whether a path is `folder` or lies in it. */
export function covers(folder: string, path: string): boolean {
  const within = relative(folder, path);
  return !(within === ".." || within.startsWith("../"));
}
