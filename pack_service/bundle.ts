/**
 * Our own code as single files without bare imports, for processes that run a pack on the pack's dependencies.
 *
 * An executor that imported Ajv by name would need an import map, and the pack's own names would meet ours there. A
 * bundle needs none, and loads faster. Bundles are made on first use into a cache and never committed
 * (`spec/executors.md`, The pack's own dependencies).
 *
 * @module
 */

import { join } from "@std/path/posix/join";
import { fileUrlToPath } from "../base/file_url.ts";
import {
  currentEnvironment,
  environmentVariable,
  fileFactsNow,
  homeFolder,
  isOwnFolder,
  listFolderNow,
  makeFolder,
  pathExists,
  processId,
  removePath,
  renameFile,
  runtimeExecutable,
  runtimeVersion,
  spawnProcess,
  systemName,
  temporaryFolder,
  userId,
} from "../base/platform.ts";
import { err, ok, type Result } from "../base/result.ts";

/** This package's root folder, as a URL that ends in `/`. */
export const PACKAGE_ROOT: URL = new URL("../", import.meta.url);

/** The folders whose files may be part of the bundle of an entry that lies in one of them. */
const SOURCE_FOLDERS: Readonly<Record<string, readonly string[]>> = {
  pack_service: ["base", "pack_service"],
  indexer: ["base", "define", "pack_service", "indexer", "agents"],
};
/** The same for an entry at the root: the door for pack authors. */
const ROOT_SOURCE_FOLDERS = ["base", "define", "agents/agent", "agents/flow"];

/** The folders whose files may be part of an entry's bundle: what its name changes with. */
export function sourceFolders(entry: string): readonly string[] {
  const [room] = entry.split("/");
  return SOURCE_FOLDERS[room ?? ""] ?? ROOT_SOURCE_FOLDERS;
}

/**
 * The folder of what is made on first use: `KINDGI_CACHE_DIR`, else `kindgi-deno` in the user's cache folder, else one in
 * the folder for temporary files.
 */
export function cacheFolder(
  env: Readonly<Record<string, string | undefined>> = currentEnvironment(),
): string {
  if (env.KINDGI_CACHE_DIR) return env.KINDGI_CACHE_DIR;
  if (env.XDG_CACHE_HOME) return join(env.XDG_CACHE_HOME, "kindgi-deno");
  const home = homeFolder();
  if (home !== undefined) {
    return systemName() === "darwin"
      ? join(home, "Library", "Caches", "kindgi-deno")
      : join(home, ".cache", "kindgi-deno");
  }
  return join(temporaryFolder(), `kindgi-deno-${userId()}`);
}

/**
 * Answers the path of the bundle of one of this package's entry modules (a path from the package's root, such as
 * `pack_service/executor_main.ts`), making it where the cache hasn't the current one. The error is one sentence.
 */
export async function bundleEntry(
  entry: string,
): Promise<Result<string, string>> {
  const folder = cacheFolder();
  let path: string;
  try {
    const [key] = await Promise.all([sourceKey(entry), makeFolder(folder)]);
    const name = `${entry.replaceAll(/[^A-Za-z0-9]+/g, "-")}-${key}`;
    path = join(folder, `${name}.js`);
    const [own, exists] = await Promise.all([
      isOwnFolder(folder),
      pathExists(path),
    ]);
    if (!own) {
      return err(
        `Cannot use the cache folder ${folder}: others may write into it, and what is in it runs; name another one in KINDGI_CACHE_DIR`,
      );
    }
    if (exists) return ok(path);
  } catch (error) {
    return err(
      `Cannot make the cache folder ${folder}: ${
        (error as Error).message
      }; name a writable one in KINDGI_CACHE_DIR`,
    );
  }
  const unfinished = `${path}.tmp-${processId()}-${Date.now()}`;
  const problem = await runBundler(entry, unfinished);
  if (problem !== undefined) {
    await removePath(unfinished);
    return err(`Cannot bundle ${entry} into ${folder}: ${problem}`);
  }
  await renameFile(unfinished, path);
  return ok(path);
}

async function runBundler(
  entry: string,
  output: string,
): Promise<string | undefined> {
  const config = PACKAGE_ROOT.protocol === "file:"
    ? ["--config", fileUrlToPath(new URL("deno.json", PACKAGE_ROOT))]
    : ["--no-config"];
  const bundler = await spawnProcess({
    command: [
      runtimeExecutable(),
      "bundle",
      "--quiet",
      ...config,
      "--output",
      output,
      new URL(entry, PACKAGE_ROOT).href,
    ],
    env: denoToolEnvironment(),
  });
  const [text, end] = await Promise.all([
    new Response(bundler.stderr).text(),
    bundler.ended,
    new Response(bundler.stdout).text(),
  ]);
  return end.code === 0 ? undefined : lastLines(text);
}

/** The end of what a tool printed, as one line. */
export function lastLines(text: string): string {
  // deno-lint-ignore no-control-regex -- that is what colours are
  const plain = text.replaceAll(/\x1b\[[0-9;]*m/g, "");
  const lines = plain.split("\n").map((line) => line.trim()).filter((line) =>
    line !== ""
  );
  return lines.slice(-6).join(" | ");
}

/** Variables that Deno's own tools need: where the cache and the network are. */
const TOOL_VARIABLES = [
  "DENO_DIR",
  "DENO_CERT",
  "DENO_TLS_CA_STORE",
  "NODE_EXTRA_CA_CERTS",
  "SSL_CERT_DIR",
  "SSL_CERT_FILE",
  "HOME",
  "XDG_CACHE_HOME",
  "PATH",
  "TMPDIR",
  "NPM_CONFIG_REGISTRY",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "http_proxy",
  "https_proxy",
  "no_proxy",
];

/** The environment for Deno's own tools: nothing of the pack's. */
export function denoToolEnvironment(): Record<string, string> {
  const environment: Record<string, string> = { NO_COLOR: "1" };
  for (const name of TOOL_VARIABLES) {
    const value = environmentVariable(name);
    if (value !== undefined) environment[name] = value;
  }
  return environment;
}

/**
 * A key that changes with our sources: of a checkout, what the files' sizes and times say; of an installed version, its
 * URL, which holds the version.
 */
async function sourceKey(entry: string): Promise<string> {
  const facts = [runtimeVersion(), PACKAGE_ROOT.href];
  if (PACKAGE_ROOT.protocol === "file:") {
    const root = fileUrlToPath(PACKAGE_ROOT);
    for (const folder of sourceFolders(entry)) {
      facts.push(...listSources(join(root, folder)));
    }
    for (const file of ["define.ts", "deno.json", "deno.lock"]) {
      facts.push(fingerprint(join(root, file)));
    }
  }
  const bytes = new TextEncoder().encode(facts.join("\n"));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(
    digest.subarray(0, 8),
    (byte) => byte.toString(16).padStart(2, "0"),
  ).join("");
}

/** A line for each source file below a folder, in the order of their paths. */
function listSources(folder: string): string[] {
  const entries = listFolderNow(folder);
  entries.sort((a, b) => a.name < b.name ? -1 : 1);
  return entries.flatMap(({ name, isFolder }) => {
    const path = join(folder, name);
    if (isFolder) return listSources(path);
    return name.endsWith(".ts") ? [fingerprint(path)] : [];
  });
}

function fingerprint(path: string): string {
  const facts = fileFactsNow(path);
  return facts === undefined
    ? `${path} absent`
    // Whole seconds: the layers of an image keep no more, and its cache has to serve the image's copy.
    : `${path} ${facts.size} ${Math.floor(facts.changedMs / 1_000)}`;
}
