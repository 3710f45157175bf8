/**
 * Noticing that a pack has changed.
 *
 * @module
 */
import { access, constants, readdir } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";

/** Changes belong together when less than this lies between them, in milliseconds: an editor saves in several steps. */
const QUIET_MS = 100;

/** Longest that changes are held back while more of them come, in milliseconds. */
const LONGEST_MS = 1_000;

/** What to watch. */
export interface PackWatchOptions {
  /** The pack's folder. */
  readonly packDir: string;
  /** Further files, wherever they lie. */
  readonly files: readonly string[];
  /** Files and folders whose changes don't count, beside those that never do. */
  readonly ignored: readonly string[];
  /** Takes the paths that have changed. */
  readonly onChange: (paths: readonly string[]) => void;
  /** Takes the reason why changes can't be noticed any more. */
  readonly onProblem: (reason: string) => void;
}

/**
 * Watches a pack's folder, folder by folder: one that doesn't count costs nothing, however much lies in it.
 *
 * Never counted are `node_modules`, hidden files and folders (`.git` among them), files that end with `~`, and an
 * `index.json` in the pack's folder, which is what the indexer writes.
 */
export class PackWatch {
  readonly #options: PackWatchOptions;
  readonly #changed = new Set<string>();
  #watcher: Deno.FsWatcher | undefined;
  /** Settles when the watcher has been read to its end. */
  #reading: Promise<void> = Promise.resolve();
  #folders: readonly string[] = [];
  /** A watched folder came or went: another one may stand at its path, which isn't watched yet. */
  #foldersChanged = false;
  #since: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #flushes: Promise<void> = Promise.resolve();
  #closed = false;

  /** Nothing is watched until {@link PackWatch.open}. */
  constructor(options: PackWatchOptions) {
    this.#options = options;
  }

  /**
   * Begins to watch.
   *
   * @throws {Error} If the folders can't be watched.
   */
  async open(): Promise<void> {
    // A folder that appears between looking and watching would go unnoticed: looks until nothing is new.
    for (;;) {
      const changed = this.#foldersChanged;
      this.#foldersChanged = false;
      const folders = await this.#foldersNow();
      if (this.#closed) return;
      if (!changed && sameTexts(folders, this.#folders)) return;
      // A path that is still watched would stay with the folder that was there before.
      this.#watcher?.close();
      this.#watcher = undefined;
      await this.#reading;
      if (this.#closed) return;
      this.#folders = folders;
      try {
        this.#watcher = Deno.watchFs([...folders], { recursive: false });
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
        this.#foldersChanged = true;
        continue; // One of them went just now.
      }
      this.#reading = this.#read(this.#watcher);
    }
  }

  /** Ends watching. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  async #read(watcher: Deno.FsWatcher): Promise<void> {
    try {
      for await (const { kind, paths } of watcher) {
        if (kind === "access") continue;
        for (const path of paths) {
          if (this.#folders.includes(path)) this.#foldersChanged = true;
          this.#note(path);
        }
      }
    } catch (error) {
      if (this.#watcher === watcher) {
        this.#options.onProblem((error as Error).message);
      }
    }
  }

  #note(path: string): void {
    if (!this.#counts(path) || this.#closed) return;
    this.#changed.add(path);
    const now = performance.now();
    this.#since ??= now;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => this.#flush(),
      Math.max(0, Math.min(QUIET_MS, this.#since + LONGEST_MS - now)),
    );
  }

  /** Hands on what has changed, once new folders are watched too. */
  #flush(): void {
    const paths = [...this.#changed].sort();
    this.#changed.clear();
    this.#since = undefined;
    this.#flushes = this.#flushes.then(async () => {
      try {
        await this.open();
      } catch (error) {
        this.#options.onProblem((error as Error).message);
      }
      if (!this.#closed) this.#options.onChange(paths);
    });
  }

  #counts(path: string): boolean {
    const { packDir, files, ignored } = this.#options;
    if (files.includes(path)) return true;
    const inPack = relative(packDir, path);
    if (inPack === "") return true; // The folder itself came or went.
    const segments = inPack.split(sep);
    return inPack !== "index.json" &&
      !inPack.endsWith("~") &&
      !segments.some((name) =>
        name.startsWith(".") || name === "node_modules"
      ) &&
      !ignored.some((at) => path === at || path.startsWith(at + sep));
  }

  /** Every folder to watch, sorted: the pack's with what lies in it, and the one that it lies in, as far as they are there. */
  async #foldersNow(): Promise<string[]> {
    const { packDir, files } = this.#options;
    const around = [packDir, ...files].map(dirname);
    const folders = await isReadable(packDir) ? [packDir] : [];
    // The list grows while it is walked.
    for (const folder of folders) {
      const entries = await readdir(folder, { withFileTypes: true })
        .catch(() => []); // It went just now.
      for (const entry of entries) {
        const path = join(folder, entry.name);
        if (entry.isDirectory() && this.#counts(path)) folders.push(path);
      }
    }
    for (const folder of around) {
      if (await isReadable(folder)) folders.push(folder);
    }
    return [...new Set(folders)].sort();
  }
}

function isReadable(path: string): Promise<boolean> {
  return access(path, constants.R_OK).then(() => true, () => false);
}

function sameTexts(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length &&
    left.every((text, at) => text === right[at]);
}
