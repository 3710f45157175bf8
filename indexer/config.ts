/**
 * A pack's config: where it is, what it must hold, and reading it the same way for every tool.
 *
 * @module
 */
import { readFile, stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parse as parseToml } from "smol-toml";
import { err, isRecord, ok, type Result } from "../base/result.ts";
import { typescriptAdvice } from "../base/typescript_advice.ts";
import {
  type ConfigFormat,
  findKindgiConfig,
  KINDGI_CONFIG_FILENAMES,
} from "./config_lookup.ts";
import {
  asSentence,
  describeCause,
  type RunFailure,
  thrownMessage,
} from "./errors.ts";

/** The language of a pack: which indexer reads it and which pack service runs it. `node` is TypeScript and JavaScript. */
export type PackLanguage = "node" | "python" | "java" | "scala";

/** Patterns of a pack's files, each replacing its kind's default (`spec/handler_runtime.md` 7.3). */
export interface DiscoveryPatterns {
  /** Where tools are; default `tools` with the language's file names. */
  readonly tools?: string;
  /** Where guardrails are; default `guardrails`. */
  readonly guardrails?: string;
  /** Where agents are; default `agents`. */
  readonly agents?: string;
  /** Where flows are; default `flows`. */
  readonly flows?: string;
}

/** A pack's config as it was read: what is checked has a type, everything else is kept as it stood. */
export interface LoadedConfig {
  /** Who the pack is. */
  readonly pack: {
    /** The pack's id, such as `acme.support`; not empty. */
    readonly id: string;
    /** The pack's version; not empty. */
    readonly version: string;
    /** What other tools read, as it stands. */
    readonly [key: string]: unknown;
  };
  /** The pack's language; `node` when absent ({@link packLanguage}). */
  readonly language?: PackLanguage;
  /** The pack's own patterns, not checked yet. */
  readonly discovery?: DiscoveryPatterns;
  /** The declaration of the environment, not checked yet. */
  readonly env?: unknown;
  /** What other tools read, as it stands. */
  readonly [key: string]: unknown;
}

/** The language of a pack: what its config says, else `node`. */
export function packLanguage(config: {
  readonly language?: PackLanguage;
}): PackLanguage {
  return config.language ?? "node";
}

/**
 * Reads a pack's config (`spec/handler_runtime.md` 7.2).
 *
 * Without `configPath` the pack's root is searched: `kindgi.config.ts`, `.mts`, `.mjs`, `.js`, `.cjs`, then a
 * `pyproject.toml` with a `[tool.kindgi]` table, then `kindgi.config.json`. A given path, relative to the working
 * folder, skips that. A module is imported anew whenever its file's modification time has changed. Never throws.
 *
 * Errors: `config-not-found`, `config-parse-failed` (the message carries the reason), and `config-invalid` for a
 * `kindgi.config.json` next to another config.
 */
export async function loadKindgiConfig(
  packDir: string,
  configPath?: string,
): Promise<Result<LoadedConfig, RunFailure>> {
  let path: string;
  let format: ConfigFormat;
  if (configPath === undefined) {
    const found = await findKindgiConfig(packDir);
    if (!found) return err(await noConfig(packDir));
    if (found.conflictsWith !== undefined) {
      return err(conflict(found.path, found.conflictsWith));
    }
    ({ path, format } = found);
  } else {
    path = resolve(configPath);
    format = formatOf(path);
  }
  const read = await readConfig(path, format);
  if (read.kind === "err") return read;
  try {
    return checkConfig(read.value, path, format);
  } catch (error) {
    // A config runs code of the pack wherever it is read: in a getter.
    return err(parseFailed(path, thrownMessage(error), error));
  }
}

function formatOf(path: string): ConfigFormat {
  if (basename(path) === "pyproject.toml") return "pyproject";
  return path.endsWith(".json") ? "json" : "module";
}

async function readConfig(
  path: string,
  format: ConfigFormat,
): Promise<Result<unknown, RunFailure>> {
  let modified: number;
  try {
    modified = (await stat(path)).mtimeMs;
  } catch (error) {
    return err({
      code: "config-not-found",
      message:
        `Cannot read the config ${path}: ${
          thrownMessage(error)
        }. Name a file that is there, or leave the path out ` +
        `to have the pack's folder searched.`,
      filePath: path,
      cause: describeCause(error),
    });
  }
  try {
    if (format === "module") return await importConfig(path, modified);
    const text = await readFile(path, "utf8");
    if (format === "json") return ok(JSON.parse(text));
    const { tool } = parseToml(text);
    const table = isRecord(tool) ? tool.kindgi : undefined;
    if (table !== undefined) return ok(table);
    return err({
      code: "config-not-found",
      message:
        `${path} has no [tool.kindgi] table, so it is no pack's config. Add the table with a [tool.kindgi.pack] ` +
        `that has an id and a version.`,
      filePath: path,
    });
  } catch (error) {
    const advice = typescriptAdvice(error, "write it as kindgi.config.mjs");
    return err(parseFailed(path, thrownMessage(error) + advice, error));
  }
}

/** The config module's default export; its URL changes with the file, so that an edit is seen by a running process. */
async function importConfig(
  path: string,
  modified: number,
): Promise<Result<unknown, RunFailure>> {
  const url = pathToFileURL(path).href;
  const module = await import(`${url}?v=${modified}`).catch(() => import(url));
  if ("default" in module) return ok(module.default);
  return err(
    parseFailed(
      path,
      "it has no default export. Write `export default defineConfig({ … })`",
    ),
  );
}

function checkConfig(
  config: unknown,
  path: string,
  format: ConfigFormat,
): Result<LoadedConfig, RunFailure> {
  const refuse = (what: string) => err(parseFailed(path, what));
  if (!isRecord(config)) return refuse("the config is not an object");
  const { pack } = config;
  if (!isRecord(pack)) {
    return refuse("`pack` must be an object with an id and a version");
  }
  for (const key of ["id", "version"]) {
    if (typeof pack[key] !== "string" || pack[key] === "") {
      return refuse(`\`pack.${key}\` must be a non-empty string`);
    }
  }
  const allowed = format === "json" ? ["java", "scala"] : ["node", "python"];
  const language = config.language ??
    (format === "pyproject" ? "python" : undefined);
  if (
    language === undefined
      ? format === "json"
      : typeof language !== "string" || !allowed.includes(language)
  ) {
    const where = format === "json" ? " in a kindgi.config.json" : "";
    return refuse(
      `\`language\`${where} must be \`${allowed.join("` or `")}\`, and is ${
        language === undefined ? "missing" : JSON.stringify(language)
      }`,
    );
  }
  return ok(
    {
      ...config,
      ...(language === undefined ? {} : { language }),
    } as unknown as LoadedConfig,
  );
}

async function noConfig(packDir: string): Promise<RunFailure> {
  const folder = await stat(packDir).catch(() => undefined);
  return {
    code: "config-not-found",
    message: folder?.isDirectory() !== true
      ? `Cannot find a config in ${resolve(packDir)}: there is no such folder`
      : `Cannot find a config in ${resolve(packDir)}: there is no ${
        KINDGI_CONFIG_FILENAMES.join(", ")
      }, no kindgi.config.json, and no pyproject.toml with a [tool.kindgi] table. Create kindgi.config.ts with ` +
        "`export default defineConfig({ pack: { id, version } })`.",
    filePath: resolve(packDir),
  };
}

function conflict(path: string, jsonPath: string): RunFailure {
  return {
    code: "config-invalid",
    message:
      `The pack has two configs, ${path} and ${jsonPath}. Keep ${
        basename(path)
      } for a pack in ${
        basename(path) === "pyproject.toml"
          ? "Python"
          : "TypeScript or JavaScript"
      }, or ${basename(jsonPath)} for one in Java or Scala, ` +
      "and remove the other.",
    filePath: jsonPath,
  };
}

function parseFailed(
  path: string,
  reason: string,
  thrown?: unknown,
): RunFailure {
  return {
    code: "config-parse-failed",
    message: asSentence(`Cannot use the config ${path}: ${reason}`),
    filePath: path,
    ...(thrown === undefined ? {} : { cause: describeCause(thrown) }),
  };
}
