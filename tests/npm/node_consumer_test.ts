/**
 * The npm package as a project on Node has it: installed from its tarball, type-checked, run, bundled.
 *
 * The package is built and the project made once for all tests here.
 */
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertMatch } from "../assert.ts";
import { toolCall } from "../pack_service/support/caller.ts";
import { runWell } from "./support/commands.ts";
import { NodeProject } from "./support/node_project.ts";

const TOOLS = [
  "typescript@5.9.3",
  "@types/node@20.19.25",
  "publint@0.3.25",
  "@arethetypeswrong/cli@0.18.5",
  "esbuild@0.28.2",
  "vite@8.4.0",
  "postgres@3.4.9",
  "drizzle-orm@0.45.4",
  "zod@4.6.7",
];

const fixture = fileURLToPath(
  new URL("../fixtures/node_pack", import.meta.url),
);
const project = await NodeProject.create(TOOLS);
// The tests' own process may be killed: then the folder stays, as any test's does.
globalThis.addEventListener("unload", () => {
  Deno.removeSync(project.folder, { recursive: true });
});

const manifest = await project.manifest();
const doors = Object.keys(manifest.exports).map((door) =>
  `${manifest.name}${door.slice(1)}`
);

Deno.test("every export is imported on Node and has something in it", async () => {
  const found = await project.evaluate(`
    const found = {};
    for (const door of ${JSON.stringify(doors)}) {
      found[door] = Object.keys(await import(door)).length;
    }
    console.log(JSON.stringify(found));
  `) as Record<string, number>;
  assertEquals(Object.keys(found), doors);
  for (const [door, names] of Object.entries(found)) {
    assert(names > 0, `${door} exports nothing`);
  }
});

for (const resolution of ["nodenext", "bundler"]) {
  Deno.test(`every export passes tsc with moduleResolution ${resolution}`, async () => {
    await project.write({
      [`${resolution}.ts`]: doors.map((door, at) =>
        `import * as door${at} from "${door}";\nexport const of${at}: object = door${at};`
      ).join("\n") + `
import { defineTool } from "${manifest.name}/define";
import { createScriptedProvider, openAgentRuntime, createMemoryStore } from "${manifest.name}/agents";

export default defineTool({
  id: "acme.echo",
  version: "1.0.0",
  description: "Echoes",
  input: { type: "object" },
  output: { type: "object" },
  handler: (input: unknown) => Promise.resolve(input),
});
export const runtime = openAgentRuntime({
  store: createMemoryStore(),
  providers: [createScriptedProvider({ answers: [{ text: "Hi" }] })],
});
`,
    });
    const checked = await project.run("npx", [
      "tsc",
      "--noEmit",
      "--strict",
      "--target",
      "es2022",
      "--module",
      resolution === "nodenext" ? "nodenext" : "esnext",
      "--moduleResolution",
      resolution,
      `${resolution}.ts`,
    ]);
    // Drizzle's own types don't pass without skipLibCheck: what is said of them is left out.
    const ours = checked.stdout.split("\n").filter((line) =>
      line.includes("error TS") && !line.startsWith("node_modules/drizzle-orm/")
    );
    assertEquals(ours, []);
  });
}

Deno.test("publint and are-the-types-wrong find nothing wrong", async () => {
  const folder = `${project.folder}/node_modules/${manifest.name}`;
  const linted = await project.run("npx", ["publint", "--strict", folder]);
  assertEquals(linted.code, 0, linted.stdout + linted.stderr);
  const checked = await project.run("npx", [
    "attw",
    "--pack",
    folder,
    "--profile",
    "esm-only",
    "--no-color",
  ]);
  assertEquals(checked.code, 0, checked.stdout + checked.stderr);
});

const BUNDLERS: Readonly<Record<string, readonly string[]>> = {
  esbuild: [
    "tool.mjs",
    "--bundle",
    "--format=esm",
    "--platform=browser",
    "--outfile=esbuild/bundle.js",
  ],
  vite: ["build", "--config", "vite.config.mjs"],
};

for (const [bundler, args] of Object.entries(BUNDLERS)) {
  Deno.test(`a bundle of ./define by ${bundler} has nothing of Node's in it, and runs`, async () => {
    await project.write({
      "tool.mjs": `import { defineTool } from "${manifest.name}/define";
        export default defineTool({ id: "a.b", version: "1.0.0", description: "Answers", input: {}, output: {}, handler: () => 1 });`,
      "vite.config.mjs": `export default { logLevel: "warn", build: {
        outDir: "vite",
        lib: { entry: "tool.mjs", formats: ["es"], fileName: () => "bundle.js" },
      } };`,
    });
    const bundled = await project.run("npx", [bundler, ...args]);
    assertEquals(bundled.code, 0, bundled.stderr);
    // Vite puts something empty in the place of a module of Node's, and says so.
    assert(!/externalized/.test(bundled.stdout + bundled.stderr));
    const text = await Deno.readTextFile(
      `${project.folder}/${bundler}/bundle.js`,
    );
    assert(!/\b(?:from|import)\s*\(?["'`]|\brequire\(/.test(text));
    const tool = await project.evaluate(`
      const { default: tool } = await import("./${bundler}/bundle.js");
      console.log(JSON.stringify([tool.kind, tool.value.id]));
    `);
    assertEquals(tool, ["ok", "a.b"]);
  });
}

Deno.test("a pack is indexed, served and called by the package's commands", async () => {
  const pack = `${project.folder}/pack`;
  await runWell("cp", ["-r", fixture, pack], { cwd: project.folder });
  const indexed = await project.run(project.bin("kindgi-index"), [
    "--pack-dir",
    pack,
    "--artifact-version",
    "1",
  ]);
  assertEquals(indexed.code, 0, indexed.stderr);
  assertEquals(JSON.parse(indexed.stdout).counts.tools, 1);
  const { outputPath } = JSON.parse(indexed.stdout);
  const service = new Deno.Command(project.bin("kindgi-pack-service"), {
    args: ["--index", outputPath, "--module-root", pack, "--host", "127.0.0.1"],
    env: { KINDGI_PACK_SERVICE_TOKEN: "token", PORT: "0" },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  let printed = "";
  let answer: unknown;
  try {
    for await (const bytes of service.stderr) {
      printed += new TextDecoder().decode(bytes);
      const port = /listening on port (\d+)/.exec(printed)?.[1];
      if (port === undefined || answer !== undefined) continue;
      const response = await fetch(`http://127.0.0.1:${port}/v1/invoke`, {
        method: "POST",
        headers: {
          "kindgi-pack-token": "token",
          "content-type": "application/json",
        },
        body: JSON.stringify(toolCall("nodepack.greet", { name: "Ada" })),
      });
      answer = await response.json();
      service.kill("SIGTERM");
    }
  } finally {
    const { code } = await service.status;
    assertEquals(code, 0, printed);
  }
  assertMatch(JSON.stringify(answer), /Ada/);
});

Deno.test("a pack in TypeScript is refused by name on a Node that can't load it, with the ways out", async () => {
  await project.write({
    "typed/kindgi.config.mjs":
      `export default { pack: { id: "typed", version: "1.0.0" } };`,
    "typed/tools/a.ts":
      `export default { id: "typed.a", version: "1.0.0", description: "", input: {}, output: {}, handler: (): number => 1 };`,
  });
  const indexed = await project.run(project.bin("kindgi-index"), [
    "--pack-dir",
    "typed",
  ]);
  const version = await project.evaluate(
    `console.log(JSON.stringify(process.features.typescript ?? false))`,
  );
  if (version !== false) return assertEquals(indexed.code, 0, indexed.stderr);
  assertEquals(indexed.code, 1);
  assertMatch(
    indexed.stderr,
    /file-import-failed: .*tools\/a\.ts.*Node 22\.18.*--bundle-map/,
  );
  await project.write({
    "typed-config/kindgi.config.ts":
      `export default { pack: { id: "typed", version: "1.0.0" } };`,
  });
  const configured = await project.run(project.bin("kindgi-index"), [
    "--pack-dir",
    "typed-config",
  ]);
  assertEquals(configured.code, 1);
  assertMatch(
    configured.stderr,
    /config-parse-failed: .*Node 22\.18.*kindgi\.config\.mjs/,
  );
});

Deno.test("a turn runs on Node, its instructions rendered by a forked child, SQLite as far as this Node has it", async () => {
  const told = await project.evaluate(`
    import {
      createMemoryStore, createScriptedProvider, defineAgent, openAgentRuntime,
    } from "${manifest.name}/agents";
    import { openSqliteStore } from "${manifest.name}/agents/sqlite";
    const agent = defineAgent({
      id: "acme.greeter", version: "1.0.0", name: "Greeter",
      instructions: "Greet {{ name }}.", parameters: [{ name: "name", type: "string", required: true }],
      capabilities: [{ needs: [{ feature: "tool-use" }] }], tools: [], retrieval: [], guardrails: [],
    });
    if (agent.kind === "err") throw new Error(JSON.stringify(agent.error));
    const provider = createScriptedProvider({ answers: [{ text: "Hi" }] });
    const runtime = openAgentRuntime({ store: createMemoryStore(), providers: [provider], agents: [agent.value] });
    const whose = { tenantId: "t", projectId: "p" };
    const talk = await runtime.openConversation({ ...whose, agentId: "acme.greeter" });
    const turn = await runtime.invoke({
      ...whose, conversationId: talk.value.id, userMessage: "Hello", parameters: { name: "Ada" },
    });
    await runtime.close();
    let sqlite;
    try {
      const store = openSqliteStore(":memory:");
      await store.close();
      sqlite = "opened";
    } catch (error) {
      sqlite = error.code + " " + error.message;
    }
    console.log(JSON.stringify({
      said: turn.value?.response.content ?? turn.error, prompt: provider.calls[0]?.messages[0].content, sqlite,
      node: process.versions.node,
    }));
  `) as { said: string; prompt: string; sqlite: string; node: string };
  assertEquals(told.said, "Hi");
  assertEquals(told.prompt, "Greet Ada.");
  if (Number.parseInt(told.node) < 22) {
    assertMatch(told.sqlite, /^sqlite-unavailable .*22\.13/);
  } else assertEquals(told.sqlite, "opened");
});
