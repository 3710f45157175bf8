/** The tests as JavaScript that Node runs against the built package. */

import { build, type Plugin, stop } from "esbuild";
import { fileURLToPath } from "node:url";
import {
  type PackageConfig,
  resolveName,
} from "../../../scripts/build_npm/package_config.ts";
import { ROOT } from "../support/package_tarball.ts";

/**
 * Emits source files, named from the checkout's root, to the same places under another folder. Each keeps its imports, so
 * what it imports of the package is whatever lies there under its name.
 */
export async function emitForNode(
  files: readonly string[],
  folder: string,
  imports: PackageConfig["imports"],
): Promise<void> {
  try {
    await build({
      absWorkingDir: ROOT,
      entryPoints: [...files],
      outbase: ".",
      outdir: folder,
      bundle: true,
      format: "esm",
      platform: "node",
      target: "node20",
      sourcemap: "inline",
      sourcesContent: false,
      inject: [fileURLToPath(new URL("deno.ts", import.meta.url))],
      plugins: [importsAsTheyAre(imports)],
      logLevel: "silent",
    });
  } finally {
    await stop();
  }
}

/** Leaves every import of a test to Node: of a source file to what was emitted for it, of a name to the npm package. */
function importsAsTheyAre(imports: PackageConfig["imports"]): Plugin {
  return {
    name: "imports-as-they-are",
    setup({ onResolve }) {
      onResolve({ filter: /./ }, ({ path, kind, importer }) => {
        if (kind === "entry-point") return undefined;
        // The stand-in for Deno becomes part of each file that uses it.
        if (importer.includes("/tests/npm/on_node/") && path.startsWith(".")) {
          return undefined;
        }
        if (path.startsWith(".")) {
          return { path: path.replace(/\.ts$/, ".js"), external: true };
        }
        return { path: npmName(path, imports), external: true };
      });
    },
  };
}

/** A name of the import map as Node finds it; names of whole packages are installed as they are. */
function npmName(name: string, imports: PackageConfig["imports"]): string {
  const address = resolveName(name, imports);
  return address === undefined || address.path === ""
    ? name
    : address.name + address.path;
}
