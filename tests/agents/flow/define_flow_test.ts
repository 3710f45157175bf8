import { defineFlow, loadFlow } from "../../../agents/flow/mod.ts";
import { assert, assertEquals, errValue, okValue } from "../../assert.ts";
import { DENO_ONLY, evalCommand, sourceFile } from "../../runtime.ts";
import { chain, edge, tool } from "./flows.ts";

const DEFINE_FLOW = sourceFile(
  "../../../agents/flow/define_flow.ts",
  import.meta.url,
).href;
const ROOT = new URL("../../../", import.meta.url);

async function printedBy(
  [program, ...args]: readonly [string, ...string[]],
): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, {
    args,
    cwd: ROOT,
    stdout: "piped",
    stderr: "piped",
  }).output();
  const decoder = new TextDecoder();
  assert(success, decoder.decode(stderr));
  return decoder.decode(stdout);
}

Deno.test("with a host loaded defineFlow answers what loadFlow answers", () => {
  const good = chain([tool("a")]);
  assertEquals(defineFlow(good), loadFlow(good));
  assertEquals(okValue(defineFlow({ $schema: "flow.json", ...good })), good);

  const bad = chain([tool("a")], { edges: [edge("a", "a")] });
  assertEquals(defineFlow(bad), loadFlow(bad));
  assertEquals(errValue(defineFlow(bad)).code, "missing-start-edge");
});

Deno.test("without a host defineFlow checks the outline", async () => {
  const flows = [
    { $schema: "x", ...chain([tool("a")]) },
    chain([], { edges: [] }),
    { id: "", version: "1", nodes: {} },
    null,
    { id: "x", version: "1.0.0", nodes: [], edges: [], metadata: 1 },
  ];
  const code = `
    import { defineFlow } from ${JSON.stringify(DEFINE_FLOW)};
    const flows = ${JSON.stringify(flows)};
    const cyclic = { id: "x" };
    cyclic.self = cyclic;
    console.log(JSON.stringify([...flows, cyclic].map((flow) => defineFlow(flow))));
  `;
  const [first, second, outline, nothing, fifth, cyclic] = JSON.parse(
    await printedBy(evalCommand(code)),
  );
  assertEquals(first, { kind: "ok", value: chain([tool("a")]) });
  assertEquals(second.kind, "ok");
  assertEquals(outline.error, {
    code: "schema-validation-failed",
    message:
      "Cannot load a flow: /id must be a string that isn't empty; /version must be an exact version such as 1.0.0; /nodes must be an array; and 1 more",
    issues: [
      { path: "/id", message: "must be a string that isn't empty" },
      { path: "/version", message: "must be an exact version such as 1.0.0" },
      { path: "/nodes", message: "must be an array" },
      { path: "/edges", message: "must be an array" },
    ],
  });
  assertEquals(nothing.error.issues, [{
    path: "",
    message: "must be an object",
  }]);
  assertEquals(fifth.kind, "ok");
  assertEquals(cyclic.error.code, "schema-validation-failed");
});

Deno.test(
  "the module of defineFlow loads no package at all",
  DENO_ONLY,
  async () => {
    const graph: {
      modules: { specifier: string }[];
      npmPackages: Record<string, unknown>;
    } = JSON.parse(
      await printedBy([Deno.execPath(), "info", "--json", DEFINE_FLOW]),
    );
    const packages = graph.modules.map((module) => module.specifier)
      .filter((specifier) => !specifier.startsWith("file:"));
    assertEquals(packages, []);
  },
);
