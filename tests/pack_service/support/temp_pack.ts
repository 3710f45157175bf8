/** Packs that a test writes for itself. */

/** A tool's source; a string is a module without schemas. */
export interface ToolSource {
  /** The module's text. */
  readonly code: string;
  readonly input?: unknown;
  readonly output?: unknown;
  /** Further keys of the index's entry. */
  readonly entry?: Readonly<Record<string, unknown>>;
}

/** A guardrail's source. */
export interface CheckSource {
  /** The module's text. */
  readonly code: string;
  /** Keys of the index's entry beside `id` and `checkModulePath`. */
  readonly entry?: Readonly<Record<string, unknown>>;
}

/** What a pack is made of. */
export interface PackSource {
  /** By `id` or `id@version`. */
  readonly tools?: Readonly<Record<string, string | ToolSource>>;
  /** By the guardrail's id. */
  readonly guardrails?: Readonly<Record<string, CheckSource>>;
  /** Keys of the index that replace ours. */
  readonly index?: Readonly<Record<string, unknown>>;
  /** Further files, by path. */
  readonly files?: Readonly<Record<string, string>>;
}

/** A pack in a temporary folder. */
export class TempPack implements AsyncDisposable {
  /** The pack's folder. */
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Writes a pack, into a folder in `parent` when that is given. */
  static async write(source: PackSource, parent?: string): Promise<TempPack> {
    const pack = new TempPack(
      await Deno.makeTempDir(parent === undefined ? {} : { dir: parent }),
    );
    const files: Record<string, string> = { ...source.files };
    const tools = Object.entries(source.tools ?? {}).map(([key, given]) => {
      const tool = typeof given === "string" ? { code: given } : given;
      const [id, version] = key.split("@");
      const modulePath = `tools/${key}.mjs`;
      files[modulePath] = tool.code;
      const { input = {}, output = {}, entry } = tool;
      return { id, version, modulePath, input, output, ...entry };
    });
    const guardrails = Object.entries(source.guardrails ?? {}).map(
      ([id, { code, entry }]) => {
        const checkModulePath = `guardrails/${id}.mjs`;
        files[checkModulePath] = code;
        return { id, checkModulePath, ...entry };
      },
    );
    const index = {
      v: 1,
      packId: "temp",
      packVersion: "0.1.0",
      artifactVersion: "20260930.1",
      publishedAt: "2026-09-30T00:00:00.000Z",
      tools,
      guardrails,
      agents: [],
      flows: [],
      ...source.index,
    };
    files["index.json"] = JSON.stringify(index);
    for (const [path, text] of Object.entries(files)) {
      await pack.write(path, text);
    }
    return pack;
  }

  /** Path of the index. */
  get index(): string {
    return `${this.folder}/index.json`;
  }

  /** Writes a file of the pack. */
  async write(path: string, text: string): Promise<void> {
    const file = `${this.folder}/${path}`;
    await Deno.mkdir(file.slice(0, file.lastIndexOf("/")), {
      recursive: true,
    });
    await Deno.writeTextFile(file, text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.folder, { recursive: true });
  }
}
