/**
 * Files, on Deno and on Node. Deno has `node:fs`, but loading it takes a good part of a process's start.
 *
 * @module
 */

import { nodeModule, nodeProcess, runtimeName } from "./platform_runtime.ts";

/** What is at a path. */
export interface FileFacts {
  /** Whether it is a file. */
  readonly isFile: boolean;
  /** Its length in bytes. */
  readonly size: number;
  /** When it was last changed, in ms since 1970. */
  readonly changedMs: number;
}

/** What is at a path, symbolic links followed; `undefined` when nothing is or it can't be looked at. */
export async function fileFacts(path: string): Promise<FileFacts | undefined> {
  try {
    if (runtimeName === "deno") {
      const { isFile, size, mtime } = await Deno.stat(path);
      return { isFile, size, changedMs: mtime?.getTime() ?? 0 };
    }
    const facts = await nodeModule("fs").promises.stat(path);
    return {
      isFile: facts.isFile(),
      size: facts.size,
      changedMs: facts.mtimeMs,
    };
  } catch {
    return undefined;
  }
}

/** As {@link fileFacts}, at once: far cheaper where many files are looked at before anything else can go on. */
export function fileFactsNow(path: string): FileFacts | undefined {
  try {
    if (runtimeName === "deno") {
      const { isFile, size, mtime } = Deno.statSync(path);
      return { isFile, size, changedMs: mtime?.getTime() ?? 0 };
    }
    const facts = nodeModule("fs").statSync(path);
    return {
      isFile: facts.isFile(),
      size: facts.size,
      changedMs: facts.mtimeMs,
    };
  } catch {
    return undefined;
  }
}

/** Whether anything is at a path. */
export async function pathExists(path: string): Promise<boolean> {
  return await fileFacts(path) !== undefined;
}

/** As {@link pathExists}, at once. */
export function pathExistsNow(path: string): boolean {
  return fileFactsNow(path) !== undefined;
}

/**
 * Reads a file as UTF-8.
 *
 * @throws {Error} If it can't be read; {@link fileProblem} says why in words.
 */
export function readTextFile(path: string): Promise<string> {
  return runtimeName === "deno"
    ? Deno.readTextFile(path)
    : nodeModule("fs").promises.readFile(path, "utf8");
}

/** Writes a file, replacing what is there. */
export function writeTextFile(path: string, text: string): Promise<void> {
  return runtimeName === "deno"
    ? Deno.writeTextFile(path, text)
    : nodeModule("fs").promises.writeFile(path, text);
}

/** Copies a file. */
export function copyFile(from: string, to: string): Promise<void> {
  return runtimeName === "deno"
    ? Deno.copyFile(from, to)
    : nodeModule("fs").promises.copyFile(from, to);
}

/** Moves a file within its file system, replacing what is there. */
export function renameFile(from: string, to: string): Promise<void> {
  return runtimeName === "deno"
    ? Deno.rename(from, to)
    : nodeModule("fs").promises.rename(from, to);
}

/** Makes a folder, and those above it, for this user alone; one that is there already stays as it is. */
export async function makeFolder(path: string): Promise<void> {
  if (runtimeName === "deno") {
    await Deno.mkdir(path, { recursive: true, mode: 0o700 });
  } else {
    await nodeModule("fs").promises.mkdir(path, {
      recursive: true,
      mode: 0o700,
    });
  }
}

/** Whether only this process's user, or root, may write into a folder and owns it; links are not followed. */
export async function isOwnFolder(path: string): Promise<boolean> {
  if (runtimeName === "deno") {
    const { isDirectory, uid, mode } = await Deno.lstat(path);
    return isDirectory && (uid === Deno.uid() || uid === 0) &&
      ((mode ?? 0) & 0o022) === 0;
  }
  const facts = await nodeModule("fs").promises.lstat(path);
  const user = nodeProcess().getuid?.();
  return facts.isDirectory() && (facts.uid === user || facts.uid === 0) &&
    (facts.mode & 0o022) === 0;
}

/** Makes a new folder for this user alone, in `parent` and with a name that begins with `prefix`. */
export function makeTemporaryFolder(
  parent: string,
  prefix: string,
): Promise<string> {
  return runtimeName === "deno"
    ? Deno.makeTempDir({ dir: parent, prefix })
    : nodeModule("fs").promises.mkdtemp(`${parent}/${prefix}`);
}

/** Removes a file, or a folder with all that is in it; nothing happens when it isn't there. */
export async function removePath(path: string): Promise<void> {
  try {
    if (runtimeName === "deno") await Deno.remove(path, { recursive: true });
    else await nodeModule("fs").promises.rm(path, { recursive: true });
  } catch (error) {
    if (!isAbsence(error)) throw error;
  }
}

/** A name in a folder. */
export interface FolderEntry {
  /** The name. */
  readonly name: string;
  /** Whether it is a folder. */
  readonly isFolder: boolean;
  /** Whether it is a symbolic link. */
  readonly isLink: boolean;
}

/** What a folder holds, in no order; nothing when it can't be read. */
export async function listFolder(path: string): Promise<FolderEntry[]> {
  try {
    if (runtimeName === "deno") {
      const entries: FolderEntry[] = [];
      for await (const entry of Deno.readDir(path)) {
        const { name, isDirectory: isFolder, isSymlink: isLink } = entry;
        entries.push({ name, isFolder, isLink });
      }
      return entries;
    }
    const entries = await nodeModule("fs").promises.readdir(path, {
      withFileTypes: true,
    });
    return entries.map((entry) => ({
      name: entry.name,
      isFolder: entry.isDirectory(),
      isLink: entry.isSymbolicLink(),
    }));
  } catch {
    return [];
  }
}

/** As {@link listFolder}, at once. */
export function listFolderNow(path: string): FolderEntry[] {
  try {
    if (runtimeName === "deno") {
      return Array.from(
        Deno.readDirSync(path),
        ({ name, isDirectory: isFolder, isSymlink: isLink }) => ({
          name,
          isFolder,
          isLink,
        }),
      );
    }
    const entries = nodeModule("fs").readdirSync(path, { withFileTypes: true });
    return entries.map((entry) => ({
      name: entry.name,
      isFolder: entry.isDirectory(),
      isLink: entry.isSymbolicLink(),
    }));
  } catch {
    return [];
  }
}

/** A path with every symbolic link followed; `undefined` when it leads nowhere. */
export async function realPath(path: string): Promise<string | undefined> {
  try {
    return runtimeName === "deno"
      ? await Deno.realPath(path)
      : await nodeModule("fs").promises.realpath(path);
  } catch {
    return undefined;
  }
}

/** Why a file could not be read or written, in words; from what {@link readTextFile} and the others throw. */
export function fileProblem(error: unknown): string {
  const { code, name, message } = error as {
    code?: unknown;
    name?: unknown;
    message?: unknown;
  };
  if (isAbsence(error)) return "there is no such file";
  if (code === "EISDIR") return "it is a folder";
  if (code === "EACCES" || name === "PermissionDenied") {
    return "this user may not";
  }
  return String(message ?? error);
}

function isAbsence(error: unknown): boolean {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return code === "ENOENT" || name === "NotFound";
}
