/**
 * Writing the folder of the npm package from what a builder has emitted.
 *
 * @module
 */

import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { type EmittedFiles, filesBelow } from "./emitted.ts";
import { MODULES, type NpmManifest } from "./manifest.ts";
import type { PackageConfig } from "./package_config.ts";

/** Copied as they are. */
const TEXTS = ["LICENSE", "README.md"];

/** What a command's module begins with. */
const SHEBANG = "#!/usr/bin/env node\n";

/** Replaces a folder by the package; answers the paths of its files. */
export async function writePackage(
  folder: string,
  root: URL,
  config: PackageConfig,
  manifest: NpmManifest,
  emitted: EmittedFiles,
): Promise<string[]> {
  await Deno.remove(folder, { recursive: true }).catch(() => {});
  const commands = Object.values(manifest.bin);
  for (const [path, code] of emitted) {
    const module = `${MODULES}/${path}`;
    const isCommand = commands.includes(module);
    await writeFile(
      `${folder}/${module}`,
      isCommand && !code.startsWith("#!") ? SHEBANG + code : code,
    );
    if (isCommand) await Deno.chmod(`${folder}/${module}`, 0o755);
  }
  for (const path of await otherFiles(root, config)) {
    await writeFile(
      `${folder}/${MODULES}/${path}`,
      await Deno.readTextFile(new URL(path, root)),
    );
  }
  for (const name of TEXTS) {
    await writeFile(
      `${folder}/${name}`,
      await Deno.readTextFile(new URL(name, root)),
    );
  }
  await writeFile(
    `${folder}/package.json`,
    `${JSON.stringify(manifest, null, 2)}\n`,
  );
  return await filesBelow(folder);
}

/** What is published and isn't source, such as a store's migrations: it lies beside the modules that read it. */
async function otherFiles(
  root: URL,
  { publish }: PackageConfig,
): Promise<string[]> {
  const folders = publish.include.filter((path) => path.endsWith("/"));
  const paths = await Promise.all(
    folders.map(async (folder) =>
      (await filesBelow(fileURLToPath(new URL(folder, root))))
        .map((path) => folder + path)
    ),
  );
  return paths.flat().filter((path) => !path.endsWith(".ts"));
}

async function writeFile(path: string, text: string): Promise<void> {
  await Deno.mkdir(dirname(path), { recursive: true });
  await Deno.writeTextFile(path, text);
}
