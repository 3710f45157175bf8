/** A project of a user on Node, which has the package installed from its tarball. */

import { dirname } from "node:path";
import { type Ended, run, runWell } from "./commands.ts";
import { withTarball } from "./package_tarball.ts";

/** An empty Node project, with the package and nothing else. */
export class NodeProject implements AsyncDisposable {
  /** Its folder. */
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Makes one, with more packages beside ours when some are named. */
  static async create(more: readonly string[] = []): Promise<NodeProject> {
    const project = new NodeProject(
      await Deno.realPath(await Deno.makeTempDir()),
    );
    try {
      await project.write({
        "package.json": JSON.stringify({ private: true, type: "module" }),
      });
      await withTarball((tarball) => project.install([tarball, ...more]));
      return project;
    } catch (error) {
      await project[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Installs packages. */
  async install(packages: readonly string[]): Promise<void> {
    await runWell("npm", [
      "install",
      "--silent",
      "--no-audit",
      "--no-fund",
      "--prefer-offline",
      "--save-exact",
      ...packages,
    ], { cwd: this.folder });
  }

  /** Writes files, making their folders. */
  async write(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, text] of Object.entries(files)) {
      const path = `${this.folder}/${name}`;
      await Deno.mkdir(dirname(path), { recursive: true });
      await Deno.writeTextFile(path, text);
    }
  }

  /** A command of an installed package, as `npx` finds it. */
  bin(name: string): string {
    return `${this.folder}/node_modules/.bin/${name}`;
  }

  /** Runs a program in the project's folder. */
  run(
    program: string,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<Ended> {
    return run(program, args, { cwd: this.folder, env });
  }

  /** Runs a module's text on Node; answers what it prints on standard output, parsed. */
  async evaluate(
    code: string,
    env: Readonly<Record<string, string>> = {},
  ): Promise<unknown> {
    await this.write({ "program.mjs": code });
    return JSON.parse(
      await runWell("node", ["program.mjs"], { cwd: this.folder, env }),
    );
  }

  /** What the installed package's own `package.json` says. */
  async manifest(): Promise<Manifest> {
    return JSON.parse(
      await Deno.readTextFile(
        `${this.folder}/node_modules/@kindgi-deno/runtime/package.json`,
      ),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.folder, { recursive: true });
  }
}

/** A `package.json`, as these tests look at it. */
export interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}
