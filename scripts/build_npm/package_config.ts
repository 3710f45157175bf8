/**
 * What `deno.json` says about the package that is published.
 *
 * @module
 */

/** The part of `deno.json` that an npm package is made from. */
export interface PackageConfig {
  /** The package's name. */
  readonly name: string;
  /** Its version. */
  readonly version: string;
  /** Its licence, as SPDX names it. */
  readonly license: string;
  /** Export names to source files, `./`-relative. */
  readonly exports: Readonly<Record<string, string>>;
  /** The import map: names to `npm:` addresses with exact versions. */
  readonly imports: Readonly<Record<string, string>>;
  /** What is published. */
  readonly publish: { readonly include: readonly string[] };
}

/** Reads the `deno.json` of a checkout. */
export async function readPackageConfig(root: URL): Promise<PackageConfig> {
  return JSON.parse(await Deno.readTextFile(new URL("deno.json", root)));
}

/** A module of an npm package: `npm:ajv@8.20.0/dist/2020.js` in parts. */
export interface NpmAddress {
  /** The package's name, with its scope. */
  readonly name: string;
  /** Its version. */
  readonly version: string;
  /** The module's path in it, with its `/` in front; empty for the package's main module. */
  readonly path: string;
}

/** Takes an `npm:` address apart; `undefined` for any other address. */
export function npmAddress(address: string): NpmAddress | undefined {
  const match = /^npm:\/?((?:@[^/@]+\/)?[^/@]+)@([^/]+)(\/.*)?$/.exec(address);
  if (!match) return undefined;
  const [, name = "", version = "", path = ""] = match;
  return { name, version, path };
}

/** The `npm:` address of an imported name, by the import map; `undefined` when the map doesn't lead to npm. */
export function resolveName(
  specifier: string,
  imports: PackageConfig["imports"],
): NpmAddress | undefined {
  const exact = imports[specifier];
  if (exact !== undefined) return npmAddress(exact);
  // The longest prefix wins, as in every import map.
  const prefix = Object.keys(imports)
    .filter((name) => name.endsWith("/") && specifier.startsWith(name))
    .sort((left, right) => right.length - left.length)[0];
  return prefix === undefined
    ? undefined
    : npmAddress(imports[prefix]! + specifier.slice(prefix.length));
}
