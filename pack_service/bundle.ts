/**
 * Our own code as single files without bare imports, for processes that run a pack on the pack's dependencies.
 *
 * An executor that imported Ajv by name would need an import map, and the pack's own names would meet ours there. A
 * bundle needs none, and loads faster. Bundles are made on first use into a cache and never committed
 * (`spec/executors.md`, The pack's own dependencies).
 *
 * @module
 */

import { createHash } from "node:crypto";
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { homedir, tmpdir } from "node:os";
import { runtimeExecutable, spawnProcess } from "../base/platform.ts";
import { err, ok, type Result } from "../base/result.ts";

/** This package's root folder, as a URL that ends in `/`. */
export const PACKAGE_ROOT: URL = new URL("../", import.meta.url);

/** The folders whose files may be part of a bundle. */
const SOURCE_FOLDERS = ["base", "define", "pack_service", "indexer", "agents"];

/**
 * The folder of what is made on first use: `KINDGI_CACHE_DIR`, else `kindgi-deno` in the user's cache folder, else one in
 * the folder for temporary files.
 */
export function cacheFolder(
  env: Readonly<Record<string, string | undefined>> = process.env,
): string {
  if (env.KINDGI_CACHE_DIR) return env.KINDGI_CACHE_DIR;
  if (env.XDG_CACHE_HOME) return join(env.XDG_CACHE_HOME, "kindgi-deno");
  const home = env.HOME ? env.HOME : homedir();
  if (home !== "" && home !== "/") {
    return process.platform === "darwin"
      ? join(home, "Library", "Caches", "kindgi-deno")
      : join(home, ".cache", "kindgi-deno");
  }
  return join(tmpdir(), `kindgi-deno-${process.getuid?.() ?? 0}`);
}

/**
 * Answers the path of the bundle of one of this package's entry modules (a path from the package's root, such as
 * `pack_service/executor_main.ts`), making it where the cache hasn't the current one. The error is one sentence.
 */
export async function bundleEntry(
  entry: string,
): Promise<Result<string, string>> {
  const folder = cacheFolder();
  const name = `${
    entry.replaceAll(/[^A-Za-z0-9]+/g, "-")
  }-${await sourceKey()}`;
  const path = join(folder, `${name}.js`);
  if (await exists(path)) return ok(path);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    return err(
      `Cannot make the cache folder ${folder}: ${
        (error as Error).message
      }; name a writable one in KINDGI_CACHE_DIR`,
    );
  }
  const unfinished = `${path}.tmp-${process.pid}-${Date.now()}`;
  const problem = await runBundler(entry, unfinished);
  if (problem !== undefined) {
    await rm(unfinished, { force: true });
    return err(`Cannot bundle ${entry} into ${folder}: ${problem}`);
  }
  await rename(unfinished, path);
  return ok(path);
}

async function runBundler(
  entry: string,
  output: string,
): Promise<string | undefined> {
  const config = PACKAGE_ROOT.protocol === "file:"
    ? ["--config", fileURLToPath(new URL("deno.json", PACKAGE_ROOT))]
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
    const value = process.env[name];
    if (value !== undefined) environment[name] = value;
  }
  return environment;
}

/**
 * A key that changes with our sources: of a checkout, what the files' sizes and times say; of an installed version, its
 * URL, which holds the version.
 */
async function sourceKey(): Promise<string> {
  const hash = createHash("sha256").update(process.version).update(
    PACKAGE_ROOT.href,
  );
  if (PACKAGE_ROOT.protocol === "file:") {
    const root = fileURLToPath(PACKAGE_ROOT);
    for (const folder of SOURCE_FOLDERS) {
      for (const line of await listSources(join(root, folder))) {
        hash.update(line);
      }
    }
    for (const file of ["define.ts", "deno.json", "deno.lock"]) {
      hash.update(await fingerprint(join(root, file)));
    }
  }
  return hash.digest("hex").slice(0, 16);
}

async function listSources(folder: string): Promise<string[]> {
  let names: string[];
  try {
    names = await readdir(folder, { recursive: true });
  } catch {
    return [];
  }
  const sources = names.filter((name) => name.endsWith(".ts")).sort();
  return await Promise.all(
    sources.map((name) => fingerprint(join(folder, name))),
  );
}

async function fingerprint(path: string): Promise<string> {
  try {
    const { size, mtimeMs } = await stat(path);
    return `${path} ${size} ${mtimeMs}\n`;
  } catch {
    return `${path} absent\n`;
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch {
    return false;
  }
}
