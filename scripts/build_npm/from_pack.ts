/**
 * JavaScript and declarations as `deno pack` emits them: with nothing but Deno.
 *
 * @module
 */

import { type EmittedFiles, readEmitted } from "./emitted.ts";
import type { PackageConfig } from "./package_config.ts";
import { npmNames } from "./specifiers.ts";

/**
 * Emits the package's sources.
 *
 * `deno pack` leaves the import map's names as they are and ships the sources of processes that only Deno starts as
 * `.ts`; the first is mended here, the second left out.
 *
 * @throws {Error} If `deno pack` or `tar` fails.
 */
export async function emitWithDenoPack(
  root: URL,
  config: PackageConfig,
): Promise<EmittedFiles> {
  const folder = await Deno.makeTempDir();
  try {
    const tarball = `${folder}/package.tgz`;
    await run(root, Deno.execPath(), [
      "pack",
      "--quiet",
      "--allow-dirty",
      "--no-source-maps",
      "--config",
      "deno.json",
      "--output",
      tarball,
    ]);
    await run(root, "tar", ["-xzf", tarball, "-C", folder]);
    const files = await readEmitted(`${folder}/package`);
    return new Map(
      [...files].map(([path, code]) => [path, npmNames(code, config.imports)]),
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function run(
  root: URL,
  program: string,
  args: readonly string[],
): Promise<void> {
  const { code, stderr } = await new Deno.Command(program, {
    args: [...args],
    cwd: root,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  if (code === 0) return;
  throw new Error(
    `Cannot build the package: ${program} ${args[0]} failed:\n${
      new TextDecoder().decode(stderr)
    }`,
  );
}
