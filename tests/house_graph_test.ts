import { assertEquals } from "./assert.ts";
import { graphOf } from "./house_graph.ts";

Deno.test("the graph knows imports, circles, what loads, and code from comments and strings", async () => {
  const root = `${await Deno.makeTempDir()}/`;
  try {
    const files = {
      "deno.json": "{}",
      "a.ts": `import "./b.ts";\nimport type { T } from "./c.ts";\n` +
        `// Deno.exit\nexport const text: T = "Deno.exit"; /* Deno.exit */\n`,
      "b.ts": `export * from "./room/d.ts";\nimport "node:fs";\n`,
      "c.ts": `export type T = string;\n`,
      "room/d.ts": `import "../b.ts";\nDeno.exit();\n`,
    };
    await Deno.mkdir(`${root}room`);
    for (const [path, text] of Object.entries(files)) {
      await Deno.writeTextFile(root + path, text);
    }
    const graph = await graphOf(root);
    assertEquals([...graph.files.keys()].sort(), [
      "a.ts",
      "b.ts",
      "c.ts",
      "room/d.ts",
    ]);
    assertEquals([...graph.files.get("a.ts")!.imports], ["b.ts", "c.ts"]);
    assertEquals(graph.circles(), [["b.ts", "room/d.ts"]]);
    assertEquals(graph.loadedBy("a.ts").sort(), [
      "a.ts",
      "b.ts",
      "node:fs",
      "room/d.ts",
    ]);
    assertEquals(graph.files.get("b.ts")!.lines, 2);
    const naming = [...graph.files].filter(([, { code }]) =>
      code.includes("Deno")
    );
    assertEquals(naming.map(([path]) => path), ["room/d.ts"]);
    assertEquals((await graph.everyFile()).sort(), Object.keys(files).sort());
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});
