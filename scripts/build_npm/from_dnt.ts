/**
 * JavaScript and declarations as dnt emits them: with TypeScript's own emitter, from JSR.
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import { type EmittedFiles, readEmitted } from "./emitted.ts";
import type { Dependencies } from "./dependencies.ts";
import type { PackageConfig } from "./package_config.ts";

/** dnt's address; a computed name, so that neither checking nor the lock of this project needs JSR. */
export const DNT: string = ["jsr:", "@deno/dnt@^0.42.1"].join("");

/** The part of dnt's options that is used here. */
export interface DntOptions {
  readonly entryPoints: readonly { name: string; path: string }[];
  readonly outDir: string;
  readonly shims: Record<never, never>;
  readonly configFile: string;
  readonly scriptModule: false;
  readonly esModule: true;
  readonly declaration: "inline";
  readonly skipSourceOutput: true;
  readonly skipNpmInstall: true;
  readonly typeCheck: false;
  readonly test: false;
  readonly compilerOptions: {
    readonly target: "Latest";
    readonly lib: readonly string[];
  };
  readonly package: Readonly<Record<string, unknown>>;
}

/** dnt, as far as it is used here. */
export interface DntModule {
  /** Emits a package. */
  build(options: DntOptions): Promise<void>;
}

/**
 * Emits the package's sources by dnt into a folder of its own.
 *
 * Types and tests are this project's own gates, on the sources and on the package that is made here; dnt isn't asked
 * again for either.
 */
export async function emitWithDnt(
  dnt: DntModule,
  root: URL,
  config: PackageConfig,
  { dependencies, peerDependencies }: Dependencies,
): Promise<EmittedFiles> {
  const outDir = await Deno.makeTempDir();
  try {
    await dnt.build({
      entryPoints: Object.entries(config.exports)
        .map(([name, path]) => ({
          name,
          path: fileURLToPath(new URL(path, root)),
        })),
      outDir,
      shims: {},
      configFile: new URL("deno.json", root).href,
      esModule: true,
      scriptModule: false,
      declaration: "inline",
      skipSourceOutput: true,
      skipNpmInstall: true,
      typeCheck: false,
      test: false,
      compilerOptions: { target: "Latest", lib: ["ESNext", "DOM"] },
      package: {
        name: config.name,
        version: config.version,
        license: config.license,
        // Optional peers too: dnt must know every version that it writes names for.
        dependencies: { ...dependencies, ...peerDependencies },
      },
    });
    return await readEmitted(`${outDir}/esm`);
  } finally {
    await Deno.remove(outDir, { recursive: true });
  }
}
