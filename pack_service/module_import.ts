/**
 * Importing a pack's module by the path that its index names.
 *
 * @module
 */
import { pathToFileUrl } from "../base/file_url.ts";

/**
 * Loads a module by its path and answers its namespace, or a promise of it. It is asked on every call, so one that
 * answers from a cache should do so without a promise. A throw or a rejection means that the module can't be loaded.
 */
export type ModuleImporter = (modulePath: string) => unknown;

/**
 * Imports a pack's module. An absolute path goes by its `file:` URL, so that `#`, spaces and drive letters load; a URL or
 * a bare package name is imported as given (`spec/handler_runtime.md` 2.7). The platform keeps what it has loaded.
 */
export function importPackModule(modulePath: string): Promise<unknown> {
  return import(specifierOf(modulePath));
}

/**
 * Imports many of a pack's modules by one that names them all: each under this process's permissions, evaluated in the
 * order given; those that wait at their top level wait side by side. Deno looks through all that it has loaded for each
 * `import()`, so ten thousand of them take minutes where this takes a second.
 *
 * Rejects when any of them can't be imported, without saying which: import them one by one then, which evaluates none of
 * them twice. Give absolute paths only.
 */
export async function importTogether(
  modulePaths: readonly string[],
): Promise<readonly unknown[]> {
  const lines = modulePaths.map((path, at) =>
    `export * as m${at} from ${JSON.stringify(specifierOf(path))};`
  );
  const type = "text/javascript";
  const url = URL.createObjectURL(new Blob([lines.join("\n")], { type }));
  try {
    const modules: Record<string, unknown> = await import(url);
    return modulePaths.map((_, at) => modules[`m${at}`]);
  } finally {
    URL.revokeObjectURL(url);
  }
}

function specifierOf(modulePath: string): string {
  return modulePath.startsWith("/")
    ? pathToFileUrl(modulePath).href
    : modulePath;
}
