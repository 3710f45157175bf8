/** The package as a project on Deno has it that imports a checkout: by URL, and by an import map. */
import { pathToFileURL } from "node:url";
import { assertEquals } from "../assert.ts";
import { run } from "./support/commands.ts";
import { ROOT } from "./support/package_tarball.ts";

const url = (path: string) => pathToFileURL(`${ROOT}${path}`).href;

/** Runs a module in a folder of its own, with these files beside it. */
async function evaluate(
  files: Readonly<Record<string, string>>,
): Promise<unknown> {
  const folder = await Deno.makeTempDir();
  try {
    for (const [name, text] of Object.entries(files)) {
      await Deno.writeTextFile(`${folder}/${name}`, text);
    }
    const args = ["run", "-A", "--quiet", "main.ts"];
    const ended = await run(Deno.execPath(), args, { cwd: folder });
    assertEquals(ended.code, 0, ended.stderr);
    return JSON.parse(ended.stdout);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const program = (from: string) => `
  import { createMemoryStore, defineTool, readPackIndex } from "${from}";
  console.log(JSON.stringify([typeof createMemoryStore, typeof defineTool, typeof readPackIndex]));
`;

/** What the package's own imports need where it isn't published: its config's names. */
const imports = JSON.parse(await Deno.readTextFile(`${ROOT}deno.json`)).imports;

Deno.test("mod.ts is imported by its URL, with the checkout's config", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/main.ts`, program(url("mod.ts")));
    const args = ["run", "-A", "--quiet", "--config", `${ROOT}deno.json`];
    const ended = await run(Deno.execPath(), [...args, "main.ts"], {
      cwd: folder,
    });
    assertEquals(ended.code, 0, ended.stderr);
    assertEquals(JSON.parse(ended.stdout), [
      "function",
      "function",
      "function",
    ]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("the package's name is mapped to a checkout, and its own names for it alone", async () => {
  const told = await evaluate({
    "deno.json": JSON.stringify({
      imports: { "@kindgi-deno/runtime": url("mod.ts") },
      scopes: { [url("")]: imports },
    }),
    "main.ts": program("@kindgi-deno/runtime"),
  });
  assertEquals(told, ["function", "function", "function"]);
});
