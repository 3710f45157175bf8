/**
 * Which npm packages a user gets along with ours, and which they add themselves.
 *
 * @module
 */

import { npmAddress, type PackageConfig } from "./package_config.ts";

/** The dependencies of the npm package, sorted by name. */
export interface Dependencies {
  /** Packages that come along, at exactly the versions that this checkout locks and tests. */
  readonly dependencies: Readonly<Record<string, string>>;
  /** Packages that a user adds for a door that needs them, as ranges; none comes along by itself. */
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/** A module, as `deno info --json` tells of it. */
interface Module {
  readonly specifier: string;
  readonly dependencies?: readonly {
    readonly code?: { readonly specifier?: string };
    readonly type?: { readonly specifier?: string };
  }[];
}

/**
 * Reads the dependencies from the module graph.
 *
 * What the main door reaches comes along. What only another door reaches (a database's driver, a model library's types)
 * is an optional peer: a user of `./define` installs no driver, and who uses such a door hands its library's objects over
 * or shares its types, so there must be one copy, theirs.
 *
 * @throws {Error} If a door imports a package that the import map doesn't pin.
 */
export async function readDependencies(
  root: URL,
  config: PackageConfig,
): Promise<Dependencies> {
  const modules = await moduleGraph(root, config);
  const main = packagesFrom([config.exports["."]!], root, modules);
  const all = packagesFrom(Object.values(config.exports), root, modules);
  const pinned = new Map<string, string>();
  for (const address of Object.values(config.imports)) {
    const npm = npmAddress(address);
    if (npm !== undefined) pinned.set(npm.name, npm.version);
  }
  const dependencies: Record<string, string> = {};
  const peerDependencies: Record<string, string> = {};
  for (const name of [...all].sort()) {
    const version = pinned.get(name);
    if (version === undefined) {
      throw new Error(`Cannot tell the version of ${name}: deno.json has none`);
    }
    if (main.has(name)) dependencies[name] = version;
    else peerDependencies[name] = `^${version}`;
  }
  return { dependencies, peerDependencies };
}

async function moduleGraph(
  root: URL,
  config: PackageConfig,
): Promise<ReadonlyMap<string, Module>> {
  const folder = await Deno.makeTempDir();
  try {
    const doors = `${folder}/doors.ts`;
    await Deno.writeTextFile(
      doors,
      Object.values(config.exports)
        .map((path) => `import ${JSON.stringify(new URL(path, root).href)};\n`)
        .join(""),
    );
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["info", "--json", "--config", "deno.json", doors],
      cwd: root,
      stdin: "null",
    }).output();
    if (code !== 0) {
      throw new Error(
        `Cannot read the module graph: ${new TextDecoder().decode(stderr)}`,
      );
    }
    const { modules } = JSON.parse(new TextDecoder().decode(stdout)) as {
      modules: readonly Module[];
    };
    return new Map(modules.map((module) => [module.specifier, module]));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The packages that these source files reach, but for those that only describe the types of others. */
function packagesFrom(
  paths: readonly string[],
  root: URL,
  modules: ReadonlyMap<string, Module>,
): Set<string> {
  const reached = new Set(paths.map((path) => new URL(path, root).href));
  const packages = new Set<string>();
  for (const specifier of reached) {
    const name = npmAddress(specifier)?.name;
    if (name !== undefined && !name.startsWith("@types/")) packages.add(name);
    for (const { code, type } of modules.get(specifier)?.dependencies ?? []) {
      for (const next of [code?.specifier, type?.specifier]) {
        if (next !== undefined) reached.add(next);
      }
    }
  }
  return packages;
}
