/**
 * Which files of a pack are indexed, and as what.
 *
 * @module
 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { compareCodeUnits } from "../base/canonical_json.ts";
import { createGlobMatcher, discoveryRoots, TEST_FILE_REGEX } from "./glob.ts";
import type { DiscoveryPatterns, PackLanguage } from "./config.ts";
import { KIND_FOLDERS, PRIMITIVE_KINDS, type PrimitiveKind } from "./kinds.ts";

/** The pattern of each kind, none missing. */
export interface ResolvedDiscovery {
  /** Where tools are. */
  readonly tools: string;
  /** Where guardrails are. */
  readonly guardrails: string;
  /** Where agents are. */
  readonly agents: string;
  /** Where flows are. */
  readonly flows: string;
}

/** The patterns of a pack in TypeScript or JavaScript that names none. */
export const DEFAULT_DISCOVERY: ResolvedDiscovery = folders((folder) =>
  `${folder}/**/*.{ts,js,mjs}`
);

/** The patterns of a pack in Python that names none. */
export const DEFAULT_PYTHON_DISCOVERY: ResolvedDiscovery = folders((folder) =>
  `${folder}/**/*.py`
);

/** The patterns of a pack in Java that names none. */
export const DEFAULT_JAVA_DISCOVERY: ResolvedDiscovery = folders((folder) =>
  `src/main/java/**/${folder}/**/*.java`
);

/** The patterns of a pack in Scala that names none. */
export const DEFAULT_SCALA_DISCOVERY: ResolvedDiscovery = folders((folder) =>
  `src/main/scala/**/${folder}/**/*.scala`
);

/** A file to index. */
export interface DiscoveredFile {
  /** Its path from the pack's root, with forward slashes. */
  readonly path: string;
  /** The kind that its folder promises; `undefined` where only the shape of its export decides. */
  readonly expectedKind: PrimitiveKind | undefined;
}

/** A pack's own patterns, one by one, over the defaults of its language. */
export function resolveDiscovery(
  discovery: DiscoveryPatterns | undefined,
  language: PackLanguage,
): ResolvedDiscovery {
  const defaults = {
    node: DEFAULT_DISCOVERY,
    python: DEFAULT_PYTHON_DISCOVERY,
    java: DEFAULT_JAVA_DISCOVERY,
    scala: DEFAULT_SCALA_DISCOVERY,
  }[language];
  return {
    tools: discovery?.tools ?? defaults.tools,
    guardrails: discovery?.guardrails ?? defaults.guardrails,
    agents: discovery?.agents ?? defaults.agents,
    flows: discovery?.flows ?? defaults.flows,
  };
}

/**
 * The files of a pack that match its patterns, in code-unit order of path.
 *
 * Below a pattern's fixed folder, `node_modules`, names that begin with a dot, symbolic links, test files and type
 * declarations (`.d.ts`) are passed over. A folder that isn't there holds no files.
 *
 * @throws When a folder is there and can't be read.
 */
export async function discoverFiles(
  packDir: string,
  discovery: ResolvedDiscovery,
): Promise<DiscoveredFile[]> {
  const paths: string[] = [];
  for (const root of discoveryRoots(patternsOf(discovery))) {
    await walk(packDir, root, paths);
  }
  return classify(paths, discovery);
}

/** Those of the given paths that match, as {@link discoverFiles} would answer them: the files of a bundle map. */
export function classify(
  paths: readonly string[],
  discovery: ResolvedDiscovery,
): DiscoveredFile[] {
  const matchers = PRIMITIVE_KINDS.map((kind) => ({
    kind,
    matches: createGlobMatcher([discovery[KIND_FOLDERS[kind]]]),
  }));
  const files: DiscoveredFile[] = [];
  for (const path of [...new Set(paths)].sort(compareCodeUnits)) {
    if (TEST_FILE_REGEX.test(path) || path.endsWith(".d.ts")) continue;
    const match = matchers.find(({ matches }) => matches(path));
    if (!match) continue;
    const inFolder = path.startsWith(`${KIND_FOLDERS[match.kind]}/`);
    files.push({ path, expectedKind: inFolder ? match.kind : undefined });
  }
  return files;
}

/** The patterns in the order in which a file is tried against them. */
function patternsOf(discovery: ResolvedDiscovery): string[] {
  return PRIMITIVE_KINDS.map((kind) => discovery[KIND_FOLDERS[kind]]);
}

async function walk(
  packDir: string,
  folder: string,
  found: string[],
): Promise<void> {
  let entries;
  try {
    entries = await readdir(join(packDir, folder), { withFileTypes: true });
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    if (code === "ENOENT" || code === "ENOTDIR") return;
    throw error;
  }
  for (const entry of entries) {
    if (entry.name === "node_modules" || entry.name.startsWith(".")) continue;
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) await walk(packDir, path, found);
    else if (entry.isFile()) found.push(path);
  }
}

function folders(pattern: (folder: string) => string): ResolvedDiscovery {
  return {
    tools: pattern("tools"),
    guardrails: pattern("guardrails"),
    agents: pattern("agents"),
    flows: pattern("flows"),
  };
}
