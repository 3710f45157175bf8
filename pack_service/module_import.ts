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
  const specifier = modulePath.startsWith("/")
    ? pathToFileUrl(modulePath).href
    : modulePath;
  return import(specifier);
}
