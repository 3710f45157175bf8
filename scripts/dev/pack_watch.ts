/**
 * Noticing that a pack has changed.
 *
 * @module
 */
import { readdir } from "node:fs/promises";
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
  #folders: readonly string[] = [];
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
      const folders = await this.#foldersNow();
      if (this.#closed || sameTexts(folders, this.#folders)) return;
      const watcher = Deno.watchFs([...folders], { recursive: false });
      this.#watcher?.close();
      this.#watcher = watcher;
      this.#folders = folders;
      void this.#read(watcher);
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
        for (const path of paths) this.#note(path);
      }
    } catch (error) {
      if (!this.#closed) this.#options.onProblem((error as Error).message);
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
    const segments = inPack.split(sep);
    return inPack !== "" && inPack !== "index.json" &&
      !inPack.endsWith("~") &&
      !segments.some((name) =>
        name.startsWith(".") || name === "node_modules"
      ) &&
      !ignored.some((at) => path === at || path.startsWith(at + sep));
  }

  /** Every folder to watch, sorted. */
  async #foldersNow(): Promise<string[]> {
    const folders = [this.#options.packDir];
    // The list grows while it is walked.
    for (const folder of folders) {
      const entries = await readdir(folder, { withFileTypes: true })
        .catch(() => []); // It went just now.
      for (const entry of entries) {
        const path = join(folder, entry.name);
        if (entry.isDirectory() && this.#counts(path)) folders.push(path);
      }
    }
    const all = [...folders, ...this.#options.files.map(dirname)];
    return [...new Set(all)].sort();
  }
}

function sameTexts(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length &&
    left.every((text, at) => text === right[at]);
}
