/**
 * What a pack's `deno.json` says about its imports: its own and its workspace's.
 *
 * @module
 */

import type { ParseError } from "jsonc-parser";
import { dirname } from "@std/path/posix/dirname";
import { join } from "@std/path/posix/join";
import { pathToFileUrl } from "../base/file_url.ts";
import { pathExists, readTextFile } from "../base/platform.ts";
import { err, isRecord, ok, type Result } from "../base/result.ts";

/** The part of an import map that maps names. */
type Imports = Readonly<Record<string, string>>;

/** What a config says about imports. */
export interface DenoConfig {
  /** Names to absolute addresses. */
  readonly imports: Imports;
  /** The same for what lies below an address. */
  readonly scopes: Readonly<Record<string, Imports>>;
  /** Path of the lock, where there is one. */
  readonly lock: string | undefined;
  /** Whether a `node_modules` folder counts. */
  readonly nodeModules: boolean;
}

type Settings = Readonly<Record<string, unknown>>;

/**
 * Reads a config. Of a member of a workspace the root's imports and lock count too, as they do for Deno. The error is one
 * sentence.
 */
export async function readDenoConfig(
  path: string,
): Promise<Result<DenoConfig, string>> {
  const own = await readSettings(path);
  if (own.kind === "err") return own;
  const folder = dirname(path);
  const root = isWorkspace(own.value)
    ? ok(undefined)
    : await workspaceAbove(folder);
  if (root.kind === "err") return root;
  const parts = [];
  for (
    const place of [root.value, { folder, settings: own.value }]
  ) {
    if (place === undefined) continue;
    const mapped = await readMapped(place.settings, place.folder);
    if (mapped.kind === "err") return mapped;
    parts.push(mapped.value);
  }
  const decisive = root.value ?? { folder, settings: own.value };
  const { nodeModulesDir } = decisive.settings;
  return ok({
    imports: Object.assign({}, ...parts.map(({ imports }) => imports)),
    scopes: Object.assign({}, ...parts.map(({ scopes }) => scopes)),
    lock: await lockOf(decisive.settings.lock, decisive.folder),
    nodeModules: nodeModulesDir !== "none" && nodeModulesDir !== false,
  });
}

async function readSettings(path: string): Promise<Result<Settings, string>> {
  let text: string;
  try {
    text = await readTextFile(path);
  } catch (error) {
    return err(`Cannot read ${path}: ${(error as Error).message}`);
  }
  // Loaded when there is such a file: it takes a good part of a start.
  const { parse } = await import("jsonc-parser");
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  if (errors.length > 0 || !isRecord(value)) {
    return err(`Cannot read ${path}: it is not a JSON object`);
  }
  return ok(value);
}

function isWorkspace(settings: Settings): boolean {
  return settings.workspace !== undefined;
}

/** The root of the workspace that a folder is in: the nearest config above that makes one. */
async function workspaceAbove(
  folder: string,
): Promise<
  Result<{ folder: string; settings: Settings } | undefined, string>
> {
  for (let above = dirname(folder);; above = dirname(above)) {
    for (const name of ["deno.json", "deno.jsonc"]) {
      const path = join(above, name);
      if (!await pathExists(path)) continue;
      const read = await readSettings(path);
      if (read.kind === "err") return read;
      if (isWorkspace(read.value)) {
        return ok({ folder: above, settings: read.value });
      }
    }
    if (dirname(above) === above) return ok(undefined);
  }
}

async function lockOf(
  setting: unknown,
  folder: string,
): Promise<string | undefined> {
  if (setting === false) return undefined;
  const named = isRecord(setting) ? setting.path : setting;
  const path = join(folder, typeof named === "string" ? named : "deno.lock");
  return await pathExists(path) ? path : undefined;
}

async function readMapped(
  settings: Settings,
  folder: string,
): Promise<Result<Pick<DenoConfig, "imports" | "scopes">, string>> {
  let map = settings;
  let from = folder;
  if (typeof settings.importMap === "string" && !isRecord(settings.imports)) {
    const path = join(folder, settings.importMap);
    const read = await readSettings(path);
    if (read.kind === "err") return read;
    map = read.value;
    from = dirname(path);
  }
  const { imports, scopes } = map;
  return ok({
    imports: absoluteImports(imports, from),
    scopes: Object.fromEntries(
      Object.entries(isRecord(scopes) ? scopes : {}).map(([scope, scoped]) => [
        absoluteAddress(scope, from),
        absoluteImports(scoped, from),
      ]),
    ),
  });
}

/** A config's imports as an import map needs them: absolute, and a package's subpaths as an entry of their own. */
function absoluteImports(imports: unknown, from: string): Imports {
  const result: Record<string, string> = {};
  if (!isRecord(imports)) return result;
  for (const [name, address] of Object.entries(imports)) {
    if (typeof address !== "string") continue;
    result[name] = absoluteAddress(address, from);
    const scheme = /^(npm|jsr):\/?/.exec(address);
    if (scheme === null || name.endsWith("/")) continue;
    const subpaths = `${name}/`;
    if (Object.hasOwn(imports, subpaths)) continue;
    result[subpaths] = `${scheme[1]}:/${address.slice(scheme[0].length)}/`;
  }
  return result;
}

function absoluteAddress(address: string, from: string): string {
  return /^\.{0,2}\//.test(address)
    ? new URL(address, pathToFileUrl(join(from, "x"))).href
    : address;
}
