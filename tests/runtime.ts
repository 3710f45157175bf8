/**
 * The runtime that the tests run on: the same files run on Deno against the sources, and on Node against the npm package
 * (`deno task test:node`).
 */

import process from "node:process";
import { fileURLToPath } from "node:url";

/** Whether this is Node. */
export const ON_NODE: boolean = process.versions.deno === undefined;

/** Tag of a test of what Deno alone has: its permissions, its module graph, its own commands. */
export const DENO_ONLY = { ignore: ON_NODE } as const;

/** Tag of a test that loads modules written in TypeScript: Node does from 22.18 on. */
export const NEEDS_TYPESCRIPT = {
  ignore: ON_NODE &&
    !(process.features as { typescript?: string | false }).typescript,
} as const;

/** Tag of a test of SQLite: Node has it from 22.13 on. */
export const NEEDS_SQLITE = {
  ignore: ON_NODE && process.getBuiltinModule("node:sqlite") === undefined,
} as const;

/** A source file, named from `from`'s `import.meta.url`, as this runtime finds it: on Node, what was emitted for it. */
export function sourceFile(path: string, from: string): URL {
  return new URL(ON_NODE ? path.replace(/\.ts$/, ".js") : path, from);
}

/** The program and arguments that run one of these files; its own arguments follow. */
export function programCommand(file: URL): [string, ...string[]] {
  const path = fileURLToPath(file);
  return ON_NODE
    ? [process.execPath, path]
    : [process.execPath, "run", "-A", path];
}

/** The program and arguments that run a module's text under flags of V8; its own arguments follow as `process.argv`. */
export function evalCommand(
  text: string,
  flags: readonly string[] = [],
): [string, ...string[]] {
  return ON_NODE
    ? [process.execPath, ...flags, "--input-type=module", "-e", text]
    : [
      process.execPath,
      "eval",
      "--quiet",
      ...(flags.length === 0 ? [] : [`--v8-flags=${flags.join(",")}`]),
      text,
    ];
}
