/**
 * Where modules really are, links followed.
 *
 * @module
 */
import { realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";

/** Whether a path is a folder or lies in it. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/**
 * A function that says where a file really is when that is in none of the folders (real paths), else `undefined`; also when
 * there is no such file, which importing it says better.
 *
 * With `linked` false the files are known to be no links themselves, and each folder is looked up once.
 */
export function placesOutside(
  folders: readonly string[],
  linked: boolean,
): (path: string) => Promise<string | undefined> {
  const realFolders = new Map<string, Promise<string | undefined>>();
  const real = (path: string): Promise<string | undefined> =>
    realpath(path).catch(() => undefined);
  const place = async (path: string): Promise<string | undefined> => {
    if (linked) return await real(path);
    const folder = dirname(path);
    const known = realFolders.get(folder) ?? real(folder);
    realFolders.set(folder, known);
    const found = await known;
    return found === undefined ? undefined : join(found, basename(path));
  };
  return async (path) => {
    const found = await place(path);
    if (found === undefined) return undefined;
    return folders.some((folder) => isWithin(folder, found))
      ? undefined
      : found;
  };
}
