/** The npm package under test. */

import { fileURLToPath } from "node:url";
import { runWell } from "./commands.ts";

/** The checkout's root folder. */
export const ROOT: string = fileURLToPath(
  new URL("../../../", import.meta.url),
);

/** The package's tarball; one that was built before may be named, so that many test files share it. */
const given = Deno.env.get("KINDGI_NPM_TARBALL");

/** Runs something with the package's tarball: the one that is named, else one that is built for it. */
export async function withTarball<T>(
  use: (tarball: string) => Promise<T>,
): Promise<T> {
  if (given !== undefined) return await use(given);
  const folder = await Deno.makeTempDir();
  try {
    return await use(await buildTarball(folder));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Builds the package in a folder, and its tarball; answers the tarball's path. */
export async function buildTarball(folder: string): Promise<string> {
  await runWell(Deno.execPath(), [
    "task",
    "build:npm",
    "--builder=pack",
    `--output=${folder}/package`,
  ], { cwd: ROOT });
  const packed = await runWell("npm", [
    "pack",
    "--silent",
    "--pack-destination",
    folder,
  ], { cwd: `${folder}/package` });
  return `${folder}/${packed.trim()}`;
}
