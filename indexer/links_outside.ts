/**
 * Symbolic links that lead out of a pack. Deno checks permissions on a link's own path, so a link is a way around them
 * unless it is named.
 *
 * @module
 */
import { readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { isWithin } from "./index_file.ts";

/** Folders that hold no code of the pack's own: installed packages are linked as their installer likes. */
const PASSED_OVER = new Set(["node_modules", ".git"]);

/** The links below a folder whose target lies in none of the allowed folders (real paths). */
export async function linksOutside(
  folder: string,
  allowedFolders: readonly string[],
): Promise<string[]> {
  const links: string[] = [];
  const entries = await readdir(folder, { withFileTypes: true })
    .catch(() => []);
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !PASSED_OVER.has(entry.name)) {
      links.push(...await linksOutside(path, allowedFolders));
    } else if (entry.isSymbolicLink()) {
      const target = await realpath(path).catch(() => undefined);
      if (target === undefined) continue;
      if (!allowedFolders.some((allowed) => isWithin(allowed, target))) {
        links.push(path);
      }
    }
  }
  return links;
}
