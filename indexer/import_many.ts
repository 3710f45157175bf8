/**
 * Importing the modules of a large pack many at once: Deno looks through all that it has loaded for each `import()`, so
 * that ten thousand of them, one after another, take minutes.
 *
 * @module
 */

/** A pack of fewer files gains nothing. */
const MANY_FILES = 200;
/** How many are imported together: more at once take longer again. */
const TOGETHER = 500;

/** Imports many modules by their absolute paths, in their order, or rejects. */
export type ImportTogether = (
  paths: readonly string[],
) => Promise<readonly unknown[]>;

/** The modules of files that are read one after another. */
export class ManyModules {
  readonly #paths: readonly string[];
  readonly #mayImport: (at: number, path: string) => Promise<boolean>;
  readonly #importTogether: ImportTogether | undefined;
  readonly #imported = new Map<string, unknown>();

  /**
   * Imports nothing yet, and nothing ever of a pack of few files, without `importTogether`, or that `mayImport` says no to.
   */
  constructor(
    paths: readonly string[],
    mayImport: (at: number, path: string) => Promise<boolean>,
    importTogether: ImportTogether | undefined,
  ) {
    this.#paths = paths;
    this.#mayImport = mayImport;
    this.#importTogether = importTogether;
  }

  /**
   * To be called before each file, by its number: imports the ones from there on where it is time for that. Never rejects:
   * when one of them is broken, each is to be imported by itself, which evaluates none of them twice.
   */
  async before(at: number): Promise<void> {
    if (
      this.#importTogether === undefined || at % TOGETHER !== 0 ||
      this.#paths.length < MANY_FILES
    ) return;
    this.#imported.clear();
    const paths: string[] = [];
    for (
      const [index, path] of this.#paths.slice(at, at + TOGETHER).entries()
    ) {
      if (await this.#mayImport(at + index, path)) paths.push(path);
    }
    try {
      const modules = await this.#importTogether(paths);
      paths.forEach((path, index) => this.#imported.set(path, modules[index]));
    } catch {
      // What is broken shows, and why, when it is imported by itself.
    }
  }

  /** The module with a path if it was imported, else what `importOne` answers. */
  get(
    path: string,
    importOne: (path: string) => Promise<unknown>,
  ): Promise<unknown> {
    return this.#imported.has(path)
      ? Promise.resolve(this.#imported.get(path))
      : importOne(path);
  }
}
