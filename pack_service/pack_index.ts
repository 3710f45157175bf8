/**
 * The pack's index as the service reads it: which tools and checks there are, and which file each one is.
 *
 * @module
 */

import { BUILT_IN_CHECK_IDS } from "../base/built_in_checks.ts";
import { isAbsolute } from "@std/path/posix/is-absolute";
import { resolve } from "@std/path/posix/resolve";
import type { BundleMap } from "../base/bundle_map.ts";
import { fileFacts, fileProblem, readTextFile } from "../base/platform.ts";
import { err, isRecord, ok, type Result } from "../base/result.ts";

/** A tool's entry in `index.json`, the part that the service uses. */
export interface IndexedTool {
  /** The tool's id. */
  readonly id: string;
  /** Its exact version; an entry without one never matches a call that names one. */
  readonly version?: string;
  /** Its module, as the index names it. */
  readonly modulePath: string;
  /** JSON Schema of the input. */
  readonly input: unknown;
  /** JSON Schema of the output. */
  readonly output: unknown;
  /** `strict`, `context-isolated`, or absent for the shared executor. */
  readonly sandbox?: string;
  /** Hosts it may reach: `{kind:'none'|'unrestricted'}` or `{kind:'allowlist', hosts}`. */
  readonly network?: unknown;
  /** Memory and CPU limits: `{memMB?, cpuMs?}`; they hold for `strict` tools. */
  readonly limits?: unknown;
}

/** A guardrail's entry in `index.json`, the part that the service uses. */
export interface IndexedGuardrail {
  /** The guardrail's id; its check's id too when `checkId` is absent. */
  readonly id: string;
  /** Its module, as the index names it. */
  readonly checkModulePath: string;
  /** The id that callers name. */
  readonly checkId?: string;
  /** Whether the check is one of the runtime's own, which no pack serves. */
  readonly checkBuiltIn?: boolean;
  /** JSON Schema of the check's config. */
  readonly configSchema?: unknown;
  /** As for a tool. */
  readonly sandbox?: string;
  /** As for a tool. */
  readonly network?: unknown;
  /** As for a tool. */
  readonly limits?: unknown;
}

/** A pack's `index.json`, version 1, the part that the service uses. */
export interface PackIndex {
  /** Version of the index's own format. */
  readonly v: 1;
  /** The pack's id. */
  readonly packId: string;
  /** The pack's version. */
  readonly packVersion: string;
  /** Which build this is. */
  readonly artifactVersion: string;
  /** When it was built, ISO 8601. */
  readonly publishedAt?: string;
  /** The tools, in index order. */
  readonly tools: readonly IndexedTool[];
  /** The guardrails, in index order. */
  readonly guardrails: readonly IndexedGuardrail[];
  /** Environment variables that the pack's code reads. */
  readonly env?: {
    /** Names without which the service isn't ready. */
    readonly required?: readonly string[];
    /** Names that may be missing. */
    readonly optional?: readonly string[];
  };
}

/** The id under which callers name a guardrail's check. */
export function checkIdOf(guardrail: IndexedGuardrail): string {
  return guardrail.checkId ?? guardrail.id;
}

/** The guardrails that ship a check of their own, in index order. */
export function shippedChecks(index: PackIndex): readonly IndexedGuardrail[] {
  return index.guardrails.filter((guardrail) =>
    guardrail.checkBuiltIn !== true &&
    !BUILT_IN_CHECK_IDS.includes(checkIdOf(guardrail))
  );
}

/** Reads `index.json`; the error is one sentence that names the file and what is wrong with it. */
export async function readPackIndex(
  path: string,
): Promise<Result<PackIndex, string>> {
  const text = await readText(path);
  if (text.kind === "err") {
    return err(`Cannot read the pack index ${path}: ${text.error}`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text.value);
  } catch (error) {
    return err(
      `Cannot read the pack index ${path}: it is not JSON (${reason(error)})`,
    );
  }
  const problem = indexProblem(value);
  if (problem !== undefined) {
    return err(`Cannot use the pack index ${path}: ${problem}`);
  }
  return ok(value as PackIndex);
}

/** What keeps a value from being an index, or `undefined`. */
export function indexProblem(value: unknown): string | undefined {
  if (!isRecord(value)) return "it is not a JSON object";
  if (value.v !== 1) {
    return `its version is ${
      JSON.stringify(value.v) ?? "missing"
    }, this service reads version 1`;
  }
  for (const key of ["packId", "packVersion", "artifactVersion"] as const) {
    if (typeof value[key] !== "string") return `"${key}" is not a string`;
  }
  // It goes into a header of every answer: what a header can't hold would fail them all.
  // deno-lint-ignore no-control-regex -- that is what it can't hold
  if (/[\x00-\x1f\x7f]|[^\x00-\xff]/.test(value.artifactVersion as string)) {
    return `"artifactVersion" is ${
      JSON.stringify(value.artifactVersion)
    }, which an HTTP header can't hold`;
  }
  return envProblem(value.env) ??
    entriesProblem(value.tools, "tools", "modulePath") ??
    entriesProblem(value.guardrails, "guardrails", "checkModulePath") ??
    duplicateProblem(value as unknown as PackIndex);
}

function envProblem(env: unknown): string | undefined {
  if (env === undefined || env === null) return undefined;
  if (!isRecord(env)) return '"env" is not an object';
  for (const list of ["required", "optional"]) {
    const names: unknown = env[list];
    if (
      names !== undefined &&
      !(Array.isArray(names) && names.every((name) => typeof name === "string"))
    ) return `"env.${list}" is not a list of names`;
  }
  return undefined;
}

function entriesProblem(
  list: unknown,
  name: string,
  pathKey: string,
): string | undefined {
  if (!Array.isArray(list)) return `"${name}" is not a list`;
  for (const [at, entry] of list.entries()) {
    if (!isRecord(entry) || typeof entry.id !== "string" || entry.id === "") {
      return `${name}[${at}] has no id`;
    }
    if (typeof entry[pathKey] !== "string") {
      return `${name}[${at}] ("${entry.id}") has no ${pathKey}`;
    }
    if (entry.version !== undefined && typeof entry.version !== "string") {
      return `${name}[${at}] ("${entry.id}") has a version that is not a string`;
    }
    if (entry.checkId !== undefined && typeof entry.checkId !== "string") {
      return `${name}[${at}] ("${entry.id}") has a checkId that is not a string`;
    }
  }
  return undefined;
}

function duplicateProblem(index: PackIndex): string | undefined {
  const tools = new Set<string>();
  for (const tool of index.tools) {
    const key = toolKey(tool.id, tool.version);
    if (tools.has(key)) return `tool ${key} is there twice`;
    tools.add(key);
  }
  const checks = new Map<string, string>();
  for (const guardrail of shippedChecks(index)) {
    const id = checkIdOf(guardrail);
    const first = checks.get(id);
    if (first !== undefined) {
      return `guardrails "${first}" and "${guardrail.id}" both have the check "${id}"; give one of them another id`;
    }
    checks.set(id, guardrail.id);
  }
  return undefined;
}

/** How a tool's entry is called in records and messages: `id@version`, or the id alone. */
export function toolKey(id: string, version: string | undefined): string {
  return version === undefined ? id : `${id}@${version}`;
}

/** Makes the function from a path in the index to the file that loads (`spec/handler_runtime.md` 4). */
export function moduleResolver(
  moduleRoot: string,
  bundleMap: BundleMap = {},
): (modulePath: string) => string {
  return (modulePath) => {
    const path = Object.hasOwn(bundleMap, modulePath)
      ? bundleMap[modulePath]!
      : modulePath;
    return isAbsolute(path) ? path : resolve(moduleRoot, path);
  };
}

/** One `Missing module: …` problem for each module that isn't there, tools first. */
export async function missingModules(
  index: PackIndex,
  resolveModule: (modulePath: string) => string,
): Promise<string[]> {
  const paths = new Set([
    ...index.tools.map((tool) => tool.modulePath),
    ...index.guardrails.map((guardrail) => guardrail.checkModulePath),
  ]);
  const present = await Promise.all(
    [...paths].map(async (path) =>
      (await fileFacts(resolveModule(path)))?.isFile === true
    ),
  );
  return [...paths].filter((_, at) => !present[at]).map((path) =>
    `Missing module: ${path}`
  );
}

async function readText(path: string): Promise<Result<string, string>> {
  try {
    return ok(await readTextFile(path));
  } catch (error) {
    return err(fileProblem(error));
  }
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
