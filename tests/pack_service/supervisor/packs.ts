/** The packs that the supervisor's tests run: the same tools behind services in two languages. */

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { SERVICE_COMMAND } from "../support/service_command.ts";

/**
 * A pack with a service.
 *
 * Its tool `demo.echo` answers with its input, the index's version, its process's id and the names in its environment;
 * `demo.wait` does so after `input.ms`, or once the file `input.until` is there, or gives up when it is cancelled.
 */
export interface TestPack {
  /** The service's language. */
  readonly name: string;
  readonly command: readonly string[];
  /** What the service needs in its environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes a version of the pack into its folder; answers its index's path. With `broken`, it doesn't boot. */
  writeIndex(
    folder: string,
    version: string,
    extra?: Record<string, unknown>,
  ): Promise<string>;
}

// The interpreter itself, not a version manager's wrapper around it, which would add to the environment.
const { stdout } = await promisify(execFile)("python3", [
  "-c",
  "import sys; print(sys.executable)",
]);

/** The Python pack: keys of its index change how its service behaves; see `service.py`. */
export const PYTHON_PACK: TestPack = {
  name: "the Python service",
  command: [
    stdout.trim(),
    new URL("../../fixtures/python_pack/service.py", import.meta.url).pathname,
  ],
  env: { PATH: Deno.env.get("PATH") },
  writeIndex: (folder, version, extra) =>
    writeIndex(folder, version, { ...extra }),
};

/** The command of {@link PYTHON_PACK}. */
export const PYTHON_COMMAND: readonly string[] = PYTHON_PACK.command;

/** The same tools behind our own service. */
export const OWN_PACK: TestPack = {
  name: "our service",
  command: SERVICE_COMMAND,
  env: {
    PATH: Deno.env.get("PATH"),
    HOME: Deno.env.get("HOME"),
    DENO_DIR: Deno.env.get("DENO_DIR"),
    KINDGI_PACK_ENV_FILTER: "off",
  },
  writeIndex: async (folder, version, { broken } = {}) => {
    const tools = `${folder}/${version}`;
    await Deno.mkdir(tools, { recursive: true });
    await Deno.writeTextFile(
      `${tools}/echo.mjs`,
      broken ? "export default {" : ownTool(version),
    );
    const entry = (id: string) => ({
      id,
      input: {},
      output: {},
      effects: [],
      modulePath: `${version}/echo.mjs`,
    });
    return await writeIndex(folder, version, {
      tools: [entry("demo.echo"), entry("demo.wait")],
    });
  },
};

function ownTool(version: string): string {
  return `import { existsSync } from "node:fs";
import process from "node:process";
export default async (input, { abortSignal }) => {
  const ends = Date.now() + (input.ms ?? 0);
  while (Date.now() < ends || (input.until && !existsSync(input.until))) {
    abortSignal.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return {
    version: ${JSON.stringify(version)},
    pid: process.pid,
    input,
    env: Object.keys(process.env).sort(),
  };
};
`;
}

async function writeIndex(
  folder: string,
  version: string,
  extra: Record<string, unknown>,
): Promise<string> {
  const path = `${folder}/index-${version}.json`;
  const index = {
    v: 1,
    packId: "demo",
    packVersion: version,
    artifactVersion: version,
    publishedAt: "2026-09-30T00:00:00.000Z",
    tools: [],
    guardrails: [],
    agents: [],
    flows: [],
    ...extra,
  };
  await Deno.writeTextFile(path, JSON.stringify(index));
  return path;
}
