/**
 * The modules of a pack that this process has loaded.
 *
 * @module
 */

import { importPackModule, type ModuleImporter } from "./module_import.ts";

/** How many modules are imported together: more at once take longer again. */
const TOGETHER = 500;

/** Imports many modules at once, or rejects. */
export type ModulesImporter = (
  modulePaths: readonly string[],
) => Promise<readonly unknown[]>;

/** What was imported is what calls use: a module is never evaluated twice. */
export class PackModules {
  /** The module with a path, imported before or now. */
  readonly get: ModuleImporter;
  readonly #loaded = new Map<string, unknown>();
  readonly #importTogether: ModulesImporter | undefined;

  /** Imports nothing yet, and by the platform's `import()` unless `importModule` is given. */
  constructor(
    importModule: ModuleImporter = importPackModule,
    importTogether?: ModulesImporter,
  ) {
    this.get = (path) => this.#loaded.get(path) ?? importModule(path);
    this.#importTogether = importTogether;
  }

  /** Imports one and keeps it. */
  async load(modulePath: string): Promise<void> {
    if (this.#loaded.has(modulePath)) return;
    this.#loaded.set(modulePath, await this.get(modulePath));
  }

  /**
   * Imports as many as can be imported with others, in their order. What is in the way of the rest shows when each is
   * loaded by itself. Never rejects.
   */
  async loadTogether(modulePaths: readonly string[]): Promise<void> {
    if (this.#importTogether === undefined) return;
    const paths = [...new Set(modulePaths)].filter((path) =>
      path.startsWith("/")
    );
    for (let from = 0; from < paths.length; from += TOGETHER) {
      const group = paths.slice(from, from + TOGETHER);
      try {
        const modules = await this.#importTogether(group);
        group.forEach((path, at) => this.#loaded.set(path, modules[at]));
      } catch {
        // What comes after a broken module has to wait until that was tried by itself: the order of evaluation stays.
        return;
      }
    }
  }
}
