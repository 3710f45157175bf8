/**
 * `deno task test:node [FILE...]`: runs the tests on Node against the npm package, built and installed for it.
 *
 * Without files it runs every test but those that `left_out.ts` names. The last line is `ok | N passed | M failed`, or
 * `FAILED` in front; exits with 1 when anything failed.
 *
 * @module
 */

import { relative, resolve } from "node:path";
import process from "node:process";
import { readPackageConfig } from "../../../scripts/build_npm/package_config.ts";
import { runWell } from "../support/commands.ts";
import { postgresServer } from "../../agents/store/postgres_server.ts";
import { ROOT } from "../support/package_tarball.ts";
import { emitForNode } from "./emit.ts";
import { isLeftOut, LEFT_OUT } from "./left_out.ts";
import { makeTestProject } from "./test_project.ts";
import { runTests } from "./run_tests.ts";

const config = await readPackageConfig(new URL(`file://${ROOT}`));
const sources = await sourceFiles("tests");
const asked = Deno.args.map((path) =>
  relative(ROOT, resolve(process.env.INIT_CWD ?? "", path))
);
const builtIn = await builtInModules();
const chosen = asked.length > 0
  ? asked
  : sources.filter((path) =>
    path.endsWith("_test.ts") &&
    !isLeftOut(path.slice("tests/".length), builtIn)
  );

await using project = await makeTestProject(config);
await emitForNode(sources, project.folder, config.imports);
const { passed, failed } = await runTests(
  project.folder,
  chosen.map((path) => path.replace(/\.ts$/, ".js")),
  await databaseOf(chosen),
);
console.log(
  `${failed === 0 ? "ok" : "FAILED"} | ${passed} passed | ${failed} failed`,
);
process.exitCode = failed === 0 ? 0 : 1;

/** The one Postgres that all the files use, as each is a process of its own; PGlite is cheap enough for one each. */
async function databaseOf(
  files: readonly string[],
): Promise<Record<string, string>> {
  if (!files.some((path) => path.includes("/postgres_"))) return {};
  const server = await postgresServer();
  return server.kind === "pglite" ? {} : { TEST_POSTGRES_URL: server.url() };
}

/** Which of Node's own modules that some tests need this Node has. */
async function builtInModules(): Promise<ReadonlySet<string>> {
  const needed = LEFT_OUT.flatMap(({ without }) => without ?? []);
  const listing = `JSON.stringify(${
    JSON.stringify(needed)
  }.filter((name) => process.getBuiltinModule(name)))`;
  return new Set(
    JSON.parse(await runWell("node", ["-p", listing], { cwd: ROOT })),
  );
}

/** The TypeScript files in a folder of the checkout, but for those that are data of tests. */
async function sourceFiles(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(ROOT + folder)) {
    const path = `${folder}/${name}`;
    if (path === "tests/fixtures") continue;
    if (isDirectory) found.push(...await sourceFiles(path));
    else if (name.endsWith(".ts")) found.push(path);
  }
  return found.sort();
}
