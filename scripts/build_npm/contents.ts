/**
 * The committed list of what the npm package holds, which every builder must match.
 *
 * @module
 */

import type { NpmManifest } from "./manifest.ts";

/** What is listed. */
export interface Contents {
  /** The doors, and the module of each. */
  readonly exports: Readonly<Record<string, string>>;
  /** The commands, and the module of each. */
  readonly bin: Readonly<Record<string, string>>;
  /** What comes along. */
  readonly dependencies: Readonly<Record<string, string>>;
  /** What a user adds for the doors that need it. */
  readonly peerDependencies: Readonly<Record<string, string>>;
  /** Every file. */
  readonly files: readonly string[];
}

/** Lists a package. */
export function contentsOf(
  manifest: NpmManifest,
  files: readonly string[],
): Contents {
  return {
    exports: Object.fromEntries(
      Object.entries(manifest.exports)
        .map(([name, conditions]) => [name, conditions.default]),
    ),
    bin: manifest.bin,
    dependencies: manifest.dependencies,
    peerDependencies: manifest.peerDependencies,
    files: [...files].sort(),
  };
}

/** How a package differs from the list, a line a difference. */
export function differences(listed: Contents, built: Contents): string[] {
  const before = lines(listed);
  const after = lines(built);
  return [
    ...[...before].filter((line) => !after.has(line))
      .map((line) => `- ${line}`),
    ...[...after].filter((line) => !before.has(line))
      .map((line) => `+ ${line}`),
  ];
}

function lines({ files, ...records }: Contents): Set<string> {
  return new Set([
    ...Object.entries(records).flatMap(([what, record]) =>
      Object.entries(record).map(([name, value]) => `${what} ${name}: ${value}`)
    ),
    ...files,
  ]);
}

/** Reads the committed list. */
export async function readContents(url: URL): Promise<Contents> {
  return JSON.parse(await Deno.readTextFile(url));
}

/** Writes the list. */
export async function writeContents(
  url: URL,
  contents: Contents,
): Promise<void> {
  await Deno.writeTextFile(url, `${JSON.stringify(contents, null, 2)}\n`);
}
