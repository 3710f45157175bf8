/** The import graph of the sources, as `deno info` reads it. */
import { fileURLToPath, pathToFileURL } from "node:url";

/** A source file. */
export interface SourceFile {
  /** Files of ours that it imports, types included, as paths from the root. */
  readonly imports: readonly string[];
  /** Whatever it loads when it runs: paths from the root, and addresses of packages and platform modules. */
  readonly loads: readonly string[];
  /** How many lines it has. */
  readonly lines: number;
  /** Its text without comments and strings. */
  readonly code: string;
}

/** The sources, and how they hang together. */
export interface SourceGraph {
  /** Every TypeScript file, by its path from the root. */
  readonly files: ReadonlyMap<string, SourceFile>;
  /** Files that import each other in a circle, one list a circle. */
  circles(): string[][];
  /** Whatever is loaded when a file runs, itself included. */
  loadedBy(path: string): string[];
  /** Every file of the project, whatever it is: those that git knows, or all where there is no git. */
  everyFile(): Promise<string[]>;
}

/** Folders that aren't the project's. */
const NOT_OURS = ["node_modules", "npm", "coverage", "fixtures"];

/** A file URL's path. */
export const fromFileUrl: (url: URL) => string = fileURLToPath;

/** Reads the graph of the project at a root, a path that ends in a slash. */
export async function graphOf(root: string): Promise<SourceGraph> {
  const paths = (await filesBelow(root, "", NOT_OURS))
    .filter((path) => path.endsWith(".ts"));
  const rootUrl = pathToFileURL(root).href;
  const files = new Map<string, SourceFile>();
  for (const module of await modulesOf(root, paths)) {
    if (!module.specifier.startsWith(rootUrl)) continue;
    const path = module.specifier.slice(rootUrl.length);
    if (!paths.includes(path)) continue;
    const dependencies = module.dependencies ?? [];
    const ours = (address: string | undefined) =>
      address?.startsWith(rootUrl) ? address.slice(rootUrl.length) : address;
    const found = dependencies.flatMap(({ code, type }) =>
      [code, type].map((side) => ours(side?.specifier))
    );
    const text = await Deno.readTextFile(root + path);
    files.set(path, {
      imports: [
        ...new Set(
          found.filter((address) =>
            address !== undefined && paths.includes(address)
          ) as string[],
        ),
      ],
      loads: dependencies.flatMap(({ code }) => ours(code?.specifier) ?? []),
      lines: text.split("\n").length - 1,
      code: withoutCommentsAndStrings(text),
    });
  }
  return {
    files,
    circles: () => circlesOf(files),
    loadedBy(path) {
      const loaded = new Set([path]);
      for (const name of loaded) {
        for (const next of files.get(name)?.loads ?? []) loaded.add(next);
      }
      return [...loaded];
    },
    everyFile: () => trackedFiles(root),
  };
}

interface Module {
  readonly specifier: string;
  readonly dependencies?: readonly {
    readonly code?: { readonly specifier?: string };
    readonly type?: { readonly specifier?: string };
  }[];
}

/** Asks Deno for the modules behind an entry that imports them all; nothing runs. */
async function modulesOf(
  root: string,
  paths: readonly string[],
): Promise<readonly Module[]> {
  const folder = await Deno.makeTempDir();
  try {
    const entry = `${folder}/every_file.ts`;
    await Deno.writeTextFile(
      entry,
      paths.map((path) => `import "${pathToFileURL(root + path).href}";\n`)
        .join(""),
    );
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["info", "--json", "--config", `${root}deno.json`, entry],
    }).output();
    if (code !== 0) throw new Error(new TextDecoder().decode(stderr));
    return JSON.parse(new TextDecoder().decode(stdout)).modules;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function trackedFiles(root: string): Promise<string[]> {
  const listed = await new Deno.Command("git", {
    args: ["ls-files", "-z"],
    cwd: root,
  }).output().catch(() => undefined);
  return listed?.success
    ? new TextDecoder().decode(listed.stdout).split("\0").filter((path) =>
      path !== ""
    )
    : await filesBelow(root, "", NOT_OURS);
}

/** Paths of files below a folder, hidden folders other than `.ci` left out. */
async function filesBelow(
  root: string,
  folder: string,
  without: readonly string[],
): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(root + folder)) {
    const path = folder + name;
    if (!isDirectory) found.push(path);
    else if (
      !without.includes(name) && (name === ".ci" || !name.startsWith("."))
    ) {
      found.push(...await filesBelow(root, `${path}/`, without));
    }
  }
  return found.sort();
}

/** Good enough to find a name in code: a comment's or a string's text goes, whatever else it leaves. */
function withoutCommentsAndStrings(text: string): string {
  return text
    .replaceAll(/\/\*[\s\S]*?\*\//g, "")
    .replaceAll(/(^|\s)\/\/.*$/gm, "")
    .replaceAll(/"(?:[^"\\\n]|\\.)*"/g, '""');
}

/** Tarjan's strongly connected components of more than one file, and files that import themselves. */
function circlesOf(files: ReadonlyMap<string, SourceFile>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];
  const visit = (path: string): number => {
    const number = order.size;
    order.set(path, number);
    lowest.set(path, number);
    stack.push(path);
    for (const next of files.get(path)?.imports ?? []) {
      const low = !order.has(next)
        ? visit(next)
        : stack.includes(next)
        ? order.get(next)!
        : number;
      lowest.set(path, Math.min(lowest.get(path)!, low));
    }
    if (lowest.get(path) === number) {
      const circle = stack.splice(stack.indexOf(path));
      if (circle.length > 1 || files.get(path)?.imports.includes(path)) {
        circles.push(circle.sort());
      }
    }
    return lowest.get(path)!;
  };
  for (const path of files.keys()) if (!order.has(path)) visit(path);
  return circles;
}
