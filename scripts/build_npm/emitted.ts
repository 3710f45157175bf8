/**
 * What a builder hands over: the JavaScript and declarations of the sources.
 *
 * @module
 */

import { posix } from "node:path";
import { relativeSpecifiers } from "./specifiers.ts";

/** Emitted files: paths from the package's source root, such as `agents/mod.js`, to their text. */
export type EmittedFiles = ReadonlyMap<string, string>;

/** Reads every `.js` and `.d.ts` file below a folder. */
export async function readEmitted(folder: string): Promise<EmittedFiles> {
  const files = new Map<string, string>();
  for (const path of await filesBelow(folder)) {
    if (path.endsWith(".js") || path.endsWith(".d.ts")) {
      files.set(path, await Deno.readTextFile(`${folder}/${path}`));
    }
  }
  return files;
}

/** The paths of every file below a folder, from there. */
export async function filesBelow(
  folder: string,
  below = "",
): Promise<string[]> {
  const paths: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder + below)) {
    const path = `${below}/${name}`;
    if (isDirectory) paths.push(...await filesBelow(folder, path));
    else paths.push(path.slice(1));
  }
  return paths;
}

/**
 * Leaves the declarations out that no door's declarations lead to: builders differ in what they emit for modules that
 * nobody can name.
 *
 * @throws {Error} If a declaration leads to one that isn't there.
 */
export function withReachedTypes(
  files: EmittedFiles,
  doors: readonly string[],
): EmittedFiles {
  const reached = new Set(doors.map((path) => typesOf(path)));
  for (const path of reached) {
    const code = files.get(path);
    if (code === undefined) {
      throw new Error(`Cannot build the package: no types for ${path}`);
    }
    for (const specifier of relativeSpecifiers(code)) {
      reached.add(typesOf(posix.join(posix.dirname(path), specifier)));
    }
  }
  return new Map(
    [...files].filter(([path]) => path.endsWith(".js") || reached.has(path)),
  );
}

/** The declarations beside a module, which may be named as source or as JavaScript. */
function typesOf(path: string): string {
  return path.replace(/(?:\.d)?\.ts$|\.js$/, "") + ".d.ts";
}
