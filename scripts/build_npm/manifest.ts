/**
 * The `package.json` of the npm package.
 *
 * @module
 */

import type { Dependencies } from "./dependencies.ts";
import type { PackageConfig } from "./package_config.ts";

/** The folder of the package that holds the modules. */
export const MODULES = "esm";

/** The commands, by the exports whose modules they are. */
const BINS: Readonly<Record<string, string>> = {
  "kindgi-index": "./kindgi-index-main",
  "kindgi-pack-service": "./pack-service-main",
};

/** What `package.json` says. */
export interface NpmManifest {
  readonly exports: Readonly<
    Record<string, { readonly types: string; readonly default: string }>
  >;
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly [key: string]: unknown;
}

/** Makes the manifest from `deno.json` and the module graph. */
export function npmManifest(
  config: PackageConfig,
  { dependencies, peerDependencies }: Dependencies,
): NpmManifest {
  const exports = Object.fromEntries(
    Object.entries(config.exports).map(([name, path]) => [name, {
      types: `./${MODULES}/${path.slice(2).replace(/\.ts$/, ".d.ts")}`,
      default: `./${MODULES}/${moduleOf(path)}`,
    }]),
  );
  return {
    name: config.name,
    version: config.version,
    description:
      "Runs Kindgi packs (tools, guardrails, flows) and agents, on Deno and on Node",
    keywords: ["kindgi", "agents", "tools", "guardrails", "deno"],
    license: config.license,
    type: "module",
    exports,
    types: exports["."]!.types,
    bin: Object.fromEntries(
      Object.entries(BINS).map(([name, door]) => [
        name,
        // npm wants these without "./".
        `${MODULES}/${moduleOf(config.exports[door]!)}`,
      ]),
    ),
    files: [MODULES],
    // `process.getBuiltinModule` is from 20.16 and 22.3.
    engines: { node: "^20.16.0 || >=22.3.0" },
    dependencies,
    peerDependencies,
    peerDependenciesMeta: Object.fromEntries(
      Object.keys(peerDependencies).map((name) => [name, { optional: true }]),
    ),
    publishConfig: { access: "public" },
  };
}

/** A source file's module, from the folder of modules. */
export function moduleOf(path: string): string {
  return path.replace(/^\.\//, "").replace(/\.ts$/, ".js");
}
