/**
 * Where a pack's config is.
 *
 * @module
 */
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { parse as parseToml } from "smol-toml";
import { isRecord } from "../base/result.ts";

/** The names of a config module, in the order in which they are looked for. */
export const KINDGI_CONFIG_FILENAMES: readonly string[] = [
  "kindgi.config.ts",
  "kindgi.config.mts",
  "kindgi.config.mjs",
  "kindgi.config.js",
  "kindgi.config.cjs",
];

/** How a config is written: a module, a table of `pyproject.toml`, or JSON. */
export type ConfigFormat = "module" | "pyproject" | "json";

/** A config that was found. */
export interface ConfigLocation {
  /** The file: the pack's folder joined with its name. */
  readonly path: string;
  /** How the file is read. */
  readonly format: ConfigFormat;
  /** A `kindgi.config.json` beside it: the pack is refused until one of the two is gone. */
  readonly conflictsWith?: string;
}

/**
 * Finds the config of a pack, or answers `undefined` when there is none.
 *
 * A `pyproject.toml` without a `[tool.kindgi]` table is not a pack's config; one that can't be parsed is when a line of
 * it opens that table, so that loading it says what is wrong (`spec/handler_runtime.md` 7.2).
 */
export async function findKindgiConfig(
  packDir: string,
): Promise<ConfigLocation | undefined> {
  const json = join(packDir, "kindgi.config.json");
  const beside = await isFile(json) ? { conflictsWith: json } : {};
  for (const name of KINDGI_CONFIG_FILENAMES) {
    const path = join(packDir, name);
    if (await isFile(path)) return { path, format: "module", ...beside };
  }
  const pyproject = join(packDir, "pyproject.toml");
  if (await hasKindgiTable(pyproject)) {
    return { path: pyproject, format: "pyproject", ...beside };
  }
  return beside.conflictsWith ? { path: json, format: "json" } : undefined;
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

async function hasKindgiTable(path: string): Promise<boolean> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch {
    return false;
  }
  try {
    const { tool } = parseToml(text);
    return isRecord(tool) && tool.kindgi !== undefined;
  } catch {
    return /^\[tool\.kindgi[\].]/m.test(text);
  }
}
