/** A pack in a folder of its own, for one test. */
import { dirname, join } from "node:path";

/** A pack's files on disk. */
export interface PackFolder {
  /** The folder. */
  readonly dir: string;
  /** The path of a file in it. */
  readonly path: (name: string) => string;
  /** Writes files, making their folders. */
  readonly write: (files: Readonly<Record<string, string>>) => Promise<void>;
  /** The index that was written, parsed. */
  readonly index: () => Promise<WrittenIndex>;
  /** The index that was written, as text. */
  readonly indexText: () => Promise<string>;
}

/** An index as tests look at it. */
export interface WrittenIndex {
  readonly [key: string]: unknown;
  readonly tools: readonly Record<string, unknown>[];
  readonly guardrails: readonly Record<string, unknown>[];
  readonly agents: readonly Record<string, unknown>[];
  readonly flows: readonly Record<string, unknown>[];
}

/** The config of a pack called `acme`. */
export const CONFIG =
  `export default { pack: { id: "acme", version: "1.0.0" } };`;

/** The source of a tool module. */
export function tool(id: string, rest = ""): string {
  return `export default {
  id: "${id}", version: "1.0.0",
  input: { type: "object" }, output: { type: "object" },
  handler: () => ({}), ${rest}
};`;
}

/** The source of a module that exports a value written as JavaScript. */
export function module(value: string): string {
  return `export default ${value};`;
}

/** Writes a pack with these files (and a config, unless they bring one), runs the test, and removes it. */
export async function withPack(
  files: Readonly<Record<string, string>>,
  run: (pack: PackFolder) => Promise<void>,
): Promise<void> {
  const dir = await Deno.realPath(
    await Deno.makeTempDir({ prefix: "kindgi-indexer-test-" }),
  );
  const path = (name: string) => join(dir, name);
  const write = async (written: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(written)) {
      await Deno.mkdir(dirname(path(name)), { recursive: true });
      await Deno.writeTextFile(path(name), text);
    }
  };
  const indexText = () => Deno.readTextFile(path("index.json"));
  try {
    const configured = Object.keys(files).some((name) =>
      name.startsWith("kindgi.config.") || name === "pyproject.toml"
    );
    if (!configured) await write({ "kindgi.config.mjs": CONFIG });
    await write(files);
    await run({
      dir,
      path,
      write,
      indexText,
      index: async () => JSON.parse(await indexText()),
    });
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}
