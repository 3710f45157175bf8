/** A project on Node that is laid out as the checkout is, its sources being the files of the built package. */

import {
  npmAddress,
  type PackageConfig,
} from "../../../scripts/build_npm/package_config.ts";
import { runWell } from "../support/commands.ts";
import { NodeProject } from "../support/node_project.ts";
import { ROOT } from "../support/package_tarball.ts";

/** Makes the project: the package from its tarball, what else the tests import, and their data. */
export async function makeTestProject(
  { imports }: PackageConfig,
): Promise<NodeProject> {
  const project = await NodeProject.create(testPackages(imports));
  try {
    const { name } = await project.manifest();
    const built = `${project.folder}/node_modules/${name}/esm`;
    for await (const entry of Deno.readDir(built)) {
      await Deno.symlink(
        `${built}/${entry.name}`,
        `${project.folder}/${entry.name}`,
      );
    }
    await Deno.mkdir(`${project.folder}/tests`);
    for (const data of ["tests/fixtures", "examples", "deno.json"]) {
      await runWell("cp", ["-r", data, `${project.folder}/${data}`], {
        cwd: ROOT,
      });
    }
    return project;
  } catch (error) {
    await project[Symbol.asyncDispose]();
    throw error;
  }
}

/** Every package of the import map under the name that it is imported by, `zod3` being one of `zod`. */
function testPackages(imports: PackageConfig["imports"]): string[] {
  return Object.entries(imports).flatMap(([name, address]) => {
    const npm = npmAddress(address);
    if (npm === undefined || npm.path !== "" || name === "esbuild") return [];
    return [`${name}@npm:${npm.name}@${npm.version}`];
  });
}
