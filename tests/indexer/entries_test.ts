import { z } from "zod";
import { BUILT_IN_CHECK_IDS } from "../../agents/guardrails/mod.ts";
import {
  INDEX_SCHEMA,
  RESERVED_CHECK_IDS,
  runIndexer,
} from "../../indexer/mod.ts";
import { compileSchema } from "../../base/json_schema.ts";
import type { FileError, IndexReport } from "../../indexer/mod.ts";
import {
  assert,
  assertEquals,
  assertStringIncludes,
  errValue,
  okValue,
} from "../assert.ts";
import {
  module,
  type PackFolder,
  tool,
  withPack,
  type WrittenIndex,
} from "./pack_folder.ts";

/** Indexes a pack in collecting mode and hands over what came of it. */
async function indexed(
  files: Readonly<Record<string, string>>,
  look: (
    index: WrittenIndex,
    report: IndexReport,
    pack: PackFolder,
  ) => void | Promise<void>,
): Promise<void> {
  await withPack(files, async (pack) => {
    const report = okValue(
      await runIndexer({ packDir: pack.dir, onFileError: "collect" }),
    );
    const index = await pack.index();
    assertEquals(okValue(compileSchema(INDEX_SCHEMA, "output"))(index), []);
    await look(index, report, pack);
  });
}

/** The only file error of a pack with one file that can't be indexed. */
async function refused(
  path: string,
  source: string,
  look: (error: FileError) => void,
): Promise<void> {
  await indexed({ [path]: source }, (_, report) => {
    assertEquals(report.fileErrors.length, 1);
    const error = report.fileErrors[0]!;
    assertEquals(error.filePath, path);
    look(error);
  });
}

Deno.test("[124] what a define helper answered is taken out of its envelope", async () => {
  await indexed({
    "tools/a.mjs": `${tool("acme.a").replace("export default", "const t =")}
export default { kind: "ok", value: t };`,
    "tools/b.mjs": module(`{ kind: "err", error: { message: "oh no" } }`),
    "tools/c.mjs": module(`{ kind: "err", error: { code: "odd" } }`),
  }, (index, report) => {
    assertEquals(index.tools.map(({ id }) => id), ["acme.a"]);
    const [b, c] = report.fileErrors;
    assertEquals(b?.code, "manifest-validation-failed");
    assertStringIncludes(b!.message, "oh no");
    assertEquals(b?.cause, { message: "oh no" });
    assertStringIncludes(c!.message, `{"code":"odd"}`);
  });
});

Deno.test("[125] [decision 13] collecting leaves a broken file out and writes the index all the same", async () => {
  const files = { "tools/good.mjs": tool("acme.good"), "tools/bad.mjs": "?" };
  await indexed(files, (index, report) => {
    assertEquals(report.counts, {
      tools: 1,
      guardrails: 0,
      agents: 0,
      flows: 0,
    });
    assertEquals(report.fileErrors.length, 1);
    assertEquals(index.tools.length, 1);
  });
  await indexed({ "tools/bad.mjs": "?" }, (index, report) => {
    assertEquals(report.fileErrors.length, 1);
    assertEquals(
      [index.tools, index.guardrails, index.agents, index.flows],
      [[], [], [], []],
    );
  });
});

Deno.test("[decision 13] by default a broken file fails the run: every error in path order, and nothing written", async () => {
  await withPack({
    "tools/good.mjs": tool("acme.good"),
    "tools/b.mjs": "?",
    "tools/a.mjs": module("{}"),
  }, async ({ dir }) => {
    const failure = errValue(await runIndexer({ packDir: dir }));
    assertEquals(failure.code, "ambiguous-kind");
    assertEquals(failure.filePath, "tools/a.mjs");
    assertEquals(failure.errors?.map(({ filePath }) => filePath), [
      "tools/a.mjs",
      "tools/b.mjs",
    ]);
    const names = [...Deno.readDirSync(dir)].map(({ name }) => name);
    assertEquals(names.sort(), ["kindgi.config.mjs", "tools"]);
  });
});

Deno.test("[126] a tool's entry carries what it declares, and nothing else", async () => {
  const carried = {
    description: "d",
    version: "1.2.3",
    effects: [{ kind: "reads", target: "x" }],
    needs: ["acme.other"],
    needsSpec: { secrets: { type: "object" } },
    sandbox: "strict",
    limits: { memMB: 64 },
    network: { kind: "none" },
    spec: { kind: "http" },
    mutating: false,
  };
  await indexed({
    "tools/a.mjs": module(
      `{ id: "acme.a", input: {}, output: {}, handler() {}, metadata: { x: 1 }, transport: "mcp", ${
        JSON.stringify(carried).slice(1, -1)
      } }`,
    ),
    "tools/b.mjs": module(
      `{ id: "acme.b", input: {}, output: {}, handler() {}, description: 5, effects: "reads" }`,
    ),
  }, (index, report) => {
    assertEquals(report.fileErrors, []);
    assertEquals(index.tools, [
      {
        id: "acme.a",
        input: {},
        output: {},
        ...carried,
        modulePath: "tools/a.mjs",
      },
      { id: "acme.b", input: {}, output: {}, modulePath: "tools/b.mjs" },
    ]);
  });
});

const ZOD_OBJECT =
  "z.object({ q: z.string().min(1), k: z.number().int().default(3) })";

Deno.test("[127] [128] Zod schemas become what Zod itself makes of them, each for its side", async () => {
  const schema = z.object({
    q: z.string().min(1),
    k: z.number().int().default(3),
  });
  await indexed({
    "tools/a.mjs": `import { z } from "zod";
const schema = ${ZOD_OBJECT};
export default { id: "acme.a", inputZod: schema, outputZod: schema, input: { type: "null" }, handler() {} };`,
    "tools/b.mjs": `import { z } from "zod";
export default { id: "acme.b", input: ${ZOD_OBJECT}, output: {}, handler() {} };`,
  }, (index, report) => {
    assertEquals(report.fileErrors, []);
    const [a, b] = index.tools;
    const input = a?.input as Record<string, unknown>;
    assertEquals(input, plain(z.toJSONSchema(schema, { io: "input" })));
    assertEquals(input.required, ["q"]);
    assertEquals(
      (input.properties as { k: { default: number } }).k.default,
      3,
    );
    assert("$schema" in input && !("additionalProperties" in input));
    assertEquals(b?.input, input);

    const output = a?.output as Record<string, unknown>;
    assertEquals(output, plain(z.toJSONSchema(schema, { io: "output" })));
    assertEquals(output.required, ["q", "k"]);
    assertEquals(output.additionalProperties, false);
    assert(!("inputZod" in a!) && !("handler" in a!));
  });
});

Deno.test("[129] a Zod schema without a JSON form is zod-conversion-failed", async () => {
  await refused(
    "tools/a.mjs",
    `import { z } from "zod";
export default { id: "acme.a", inputZod: z.object({ n: z.bigint() }), output: {}, handler() {} };`,
    (error) => {
      assertEquals(error.code, "zod-conversion-failed");
      assertEquals(error.field, "inputZod");
      assertStringIncludes(error.message, `"acme.a"`);
      assertStringIncludes(error.message, "/n");
    },
  );
});

Deno.test("[130] a JSON Schema is carried word for word; what is no object is refused", async () => {
  const schema =
    `{ type: "object", "x-hint": { deep: [1] }, properties: { b: { type: "string", unknown: true }, a: true } }`;
  await indexed({
    "tools/a.mjs": module(
      `{ id: "acme.a", input: ${schema}, output: {}, handler() {} }`,
    ),
  }, (index) => {
    assertEquals(index.tools[0]?.input, {
      type: "object",
      "x-hint": { deep: [1] },
      properties: { b: { type: "string", unknown: true }, a: true },
    });
  });
  for (const input of ["[]", "undefined", "null", `"object"`]) {
    await refused(
      "tools/a.mjs",
      module(`{ id: "acme.a", input: ${input}, output: {}, handler() {} }`),
      (error) => {
        assertEquals(error.code, "manifest-validation-failed");
        assertEquals(error.field, "input");
      },
    );
  }
});

const guardrail = (rest: string, id = "acme.g") =>
  `{ id: "${id}", kind: "zero-llm", action: { "on-violation": "halt" }, ${rest} }`;

Deno.test("[131] a guardrail's check is known by its id, however it is given", async () => {
  await indexed({
    "guardrails/a.mjs": module(guardrail(`check: "x.checks.y"`, "acme.a")),
    "guardrails/b.mjs": module(
      guardrail(`check: { id: "x.checks.z", evaluate() {} }`, "acme.b"),
    ),
    "guardrails/c.mjs": module(guardrail(
      `name: "C", severity: "error", sandbox: "strict", scope: { when: "always" }, description: "no", budget: {}`,
      "acme.c",
    )),
  }, (index, report) => {
    assertEquals(report.fileErrors, []);
    const [a, b, c] = index.guardrails;
    assertEquals(a?.checkId, "x.checks.y");
    assertEquals(a?.checkModulePath, "guardrails/a.mjs");
    assertEquals(b?.checkId, "x.checks.z");
    assertEquals(c, {
      id: "acme.c",
      kind: "zero-llm",
      action: { "on-violation": "halt" },
      name: "C",
      severity: "error",
      sandbox: "strict",
      scope: { when: "always" },
      checkModulePath: "guardrails/c.mjs",
    });
  });
});

const CHECKED = (
  config: string,
  schema = "z.object({ maxChars: z.number().int().min(0) })",
) =>
  `import { z } from "zod";
export default ${
    guardrail(
      `check: { id: "acme.checks.x", evaluate() {}, configZod: ${schema} }, ${config}`,
    )
  };`;

Deno.test("[133] a config that doesn't fit its check's schema is refused with its place", async () => {
  await refused(
    "guardrails/a.mjs",
    CHECKED("config: { maxChars: -5 }"),
    (error) => {
      assertEquals(error.code, "manifest-validation-failed");
      assertEquals(error.field, "config");
      for (const part of [`"acme.g"`, "/maxChars", "must be >= 0"]) {
        assertStringIncludes(error.message, part);
      }
    },
  );
  await refused(
    "guardrails/a.mjs",
    CHECKED(`config: "strict"`),
    (error) => assertEquals(error.field, "config"),
  );
  await refused(
    "guardrails/a.mjs",
    `import { z } from "zod"; export default ${
      guardrail(`configSchema: z.object({}), config: {}`)
    };`,
    (error) => {
      assertEquals(error.code, "manifest-validation-failed");
      assertEquals(error.field, "config");
    },
  );
});

Deno.test("[134] a required field must be set in the config; one with a default need not be, and isn't filled in", async () => {
  await refused(
    "guardrails/a.mjs",
    CHECKED(""),
    (error) => assertEquals(error.field, "config"),
  );
  await indexed({
    "guardrails/a.mjs": CHECKED("", "z.object({ n: z.number().default(1) })"),
  }, (index, report) => {
    assertEquals(report.fileErrors, []);
    assert(!("config" in index.guardrails[0]!));
    assertEquals(
      (index.guardrails[0]?.configSchema as { properties: unknown }).properties,
      { n: { type: "number", default: 1 } },
    );
  });
});

Deno.test("a guardrail's own Zod schema comes before its check's, and JSON Schema after both", async () => {
  await indexed({
    "guardrails/a.mjs": `import { z } from "zod";
export default ${
      guardrail(
        `configZod: z.object({ own: z.string().optional() }), configSchema: { title: "json" },
  check: { id: "acme.checks.x", evaluate() {}, configZod: z.object({}) }`,
      )
    };`,
    "guardrails/b.mjs": module(guardrail(
      `check: { id: "acme.checks.y", evaluate() {}, configJsonSchema: { title: "converted" } }`,
      "acme.h",
    )),
  }, (index) => {
    const [a, b] = index.guardrails.map(({ configSchema }) =>
      configSchema as Record<string, unknown>
    );
    assertEquals(a?.properties, { own: { type: "string" } });
    assertEquals(b, { title: "converted" });
  });
});

Deno.test("[135] a check of the pack's own under a built-in id is refused; naming the built-in is how to use it", async () => {
  await refused(
    "guardrails/a.mjs",
    module(guardrail(`check: { id: "must-cite", evaluate() {} }`)),
    (error) => {
      assertEquals(error.code, "reserved-check-id");
      assertEquals(error.field, "check");
    },
  );
  await refused(
    "guardrails/b.mjs",
    `export const extra = { id: "tool-order", evaluate() {} };
export default ${guardrail(`check: "acme.c"`)};`,
    (error) => assertStringIncludes(error.message, "tool-order"),
  );
  await indexed({
    "guardrails/a.mjs": module(guardrail(`check: "must-cite"`)),
    "guardrails/b.mjs": module(guardrail("", "tool-order")),
  }, (index, report) => {
    assertEquals(report.fileErrors, []);
    assertEquals(index.guardrails[0]?.checkBuiltIn, true);
    assertEquals(index.guardrails[0]?.checkId, "must-cite");
    assertEquals(index.guardrails[1]?.checkBuiltIn, true);
    assert(!("checkId" in index.guardrails[1]!));
    assertEquals(report.warnings, []);
  });
});

Deno.test("the reserved check ids are those of the built-in checks", () => {
  assertEquals(
    [...RESERVED_CHECK_IDS].sort(),
    [...BUILT_IN_CHECK_IDS].sort(),
  );
});

Deno.test("[136] a check outside the pack's names is warned about, once for each id", async () => {
  await indexed({
    "guardrails/a.mjs": `export const check = { id: "other.x", evaluate() {} };
export default ${guardrail("check")};`,
    "guardrails/b.mjs": module(
      guardrail(`check: { id: "acme.checks.x", evaluate() {} }`, "acme.b"),
    ),
    "guardrails/c.mjs": module(guardrail(`check: "other.y"`, "acme.c")),
  }, (index, report) => {
    assertEquals(index.guardrails.length, 3);
    assertEquals(report.warnings.length, 1);
    const [warning] = report.warnings;
    assertEquals(warning?.code, "check-id-unprefixed");
    assertEquals(warning?.filePath, "guardrails/a.mjs");
    assertEquals(warning?.field, "check");
    assertStringIncludes(warning!.message, "other.x");
    assertStringIncludes(warning!.message, "acme.checks.<name>");
  });
});

Deno.test("a guardrail refused as a duplicate still warns of its check", async () => {
  await indexed({
    "guardrails/a.mjs": module(guardrail(`check: "acme.c"`)),
    "guardrails/b.mjs": module(guardrail(`check: { id: "z", evaluate() {} }`)),
  }, (_, report) => {
    assertEquals(report.fileErrors[0]?.filePath, "guardrails/b.mjs");
    assertEquals(report.warnings[0]?.filePath, "guardrails/b.mjs");
  });
});

const AGENT = {
  id: "acme.agent",
  version: "1.0.0",
  name: "A",
  instructions: { prompt: "acme.prompt", version: "1.0.0" },
  capabilities: ["tool-use"],
  tools: [{ id: "acme.a", version: "*" }],
};

Deno.test("[137] an agent's entry carries its settings, and must have its lists", async () => {
  const more = {
    settings: [{ id: "acme.s", version: "1" }],
    modelSettings: { temperature: 0 },
    memory: { read: true },
    retrieval: [],
    tags: ["x"],
    preferredModel: "m",
  };
  await indexed({
    "agents/a.mjs": module(JSON.stringify({ ...AGENT, ...more, secret: 1 })),
  }, (index, report) => {
    assertEquals(report.fileErrors, []);
    assertEquals(index.agents[0], {
      ...AGENT,
      ...more,
      modulePath: "agents/a.mjs",
    });
  });
  const { capabilities: _, ...without } = AGENT;
  await refused("agents/a.mjs", module(JSON.stringify(without)), (error) => {
    assertEquals(error.code, "manifest-validation-failed");
    assertEquals(error.field, "capabilities");
  });
});

const FLOW = {
  id: "acme.flow",
  version: "1.0.0",
  nodes: [{
    id: "a",
    kind: "tool",
    ref: "acme.a",
    inputMapping: { q: { path: "runInput.q" } },
  }],
  edges: [
    { id: "e1", from: "$start", to: "a" },
    { id: "e2", from: "a", to: "$end" },
  ],
};

Deno.test("[138] a flow is carried as written once it loads", async () => {
  const more = {
    description: "d",
    maxParallelism: 2,
    metadata: { k: [1] },
    output: { mapping: { out: { path: "nodeOutputs.a" } } },
  };
  await indexed({
    "flows/a.mjs": module(JSON.stringify({ $schema: "x", ...FLOW, ...more })),
  }, (index, report) => {
    assertEquals(report.fileErrors, []);
    assertEquals(index.flows[0], {
      ...FLOW,
      ...more,
      kernelPayloadVersion: 1,
      modulePath: "flows/a.mjs",
    });
  });
});

Deno.test("[138] a flow that doesn't load is refused in the loader's words", async () => {
  const ghost = { mapping: { out: { path: "nodeOutputs.ghost" } } };
  for (
    const [flow, named] of [
      [{ ...FLOW, output: ghost }, "ghost"],
      [{ ...FLOW, edges: FLOW.edges.slice(1) }, "$start"],
      [{ ...FLOW, colour: "red" }, "colour"],
    ] as const
  ) {
    await refused("flows/a.mjs", module(JSON.stringify(flow)), (error) => {
      assertEquals(error.code, "manifest-validation-failed");
      assertStringIncludes(error.message, named);
      assertStringIncludes(error.message, `"acme.flow"`);
    });
  }
});

Deno.test("[139] of two files with one id and version the first path stays", async () => {
  await indexed({
    "tools/b.mjs": tool("acme.same"),
    "tools/a.mjs": tool("acme.same"),
  }, (index, report) => {
    assertEquals(index.tools.map(({ modulePath }) => modulePath), [
      "tools/a.mjs",
    ]);
    const [error] = report.fileErrors;
    assertEquals(error?.code, "manifest-validation-failed");
    assertEquals(error?.filePath, "tools/b.mjs");
    for (const part of ["tool", "acme.same", "1.0.0", "tools/a.mjs"]) {
      assertStringIncludes(error!.message, part);
    }
  });
});

Deno.test("[139] versions of one id stand side by side in path order; one without a version stands alone", async () => {
  const versioned = (version: string) =>
    tool("acme.same").replace(`version: "1.0.0",`, version);
  await indexed({
    "tools/b.mjs": versioned(`version: "1.0.0",`),
    "tools/a.mjs": versioned(`version: "2.0.0",`),
    "tools/c.mjs": versioned(""),
    "agents/x.mjs": module(JSON.stringify({ ...AGENT, id: "acme.same" })),
  }, (index, report) => {
    assertEquals(index.tools.map(({ version }) => version), ["2.0.0", "1.0.0"]);
    assertEquals(index.agents.length, 1);
    assertEquals(report.fileErrors.map(({ filePath }) => filePath), [
      "tools/c.mjs",
    ]);
  });
});

Deno.test("[140] with a bundle map its keys are the files and its values are imported", async () => {
  await withPack({
    "dist/tools/echo.mjs": tool("acme.echo"),
  }, async ({ dir, path, index }) => {
    const bundleMap = {
      "tools/echo.ts": "tools/echo.mjs",
      "tools/echo.test.ts": "nowhere.mjs",
      "lib/h.ts": "nowhere.mjs",
    };
    const moduleRoot = path("dist");
    okValue(await runIndexer({ packDir: dir, bundleMap, moduleRoot }));
    assertEquals((await index()).tools.map(({ modulePath }) => modulePath), [
      "tools/echo.ts",
    ]);
    const none = await runIndexer({
      packDir: dir,
      bundleMap: { "lib/h.ts": "h.mjs" },
      moduleRoot,
    });
    assertEquals(errValue(none).code, "discovery-empty");
  });
});

Deno.test("a module is imported by the importer that is given", async () => {
  await withPack({ "tools/a.mjs": "?" }, async ({ dir, path, index }) => {
    const asked: string[] = [];
    okValue(
      await runIndexer({
        packDir: dir,
        importModule: (path) => {
          asked.push(path);
          return Promise.resolve({
            default: { id: "acme.a", input: {}, output: {}, handler() {} },
          });
        },
      }),
    );
    assertEquals(asked, [path("tools/a.mjs")]);
    assertEquals((await index()).tools.length, 1);
  });
});

Deno.test("a folder that is a link out of the pack is file-import-failed", async () => {
  await withPack({ "tools/a.mjs": tool("acme.a") }, async ({ path: real }) => {
    await withPack({}, async ({ dir, path }) => {
      await Deno.symlink(real("tools"), path("tools"));
      const error = errValue(await runIndexer({ packDir: dir }));
      assertEquals(error.code, "file-import-failed");
      assertStringIncludes(error.message, real("tools/a.mjs"));
    });
  });
});

Deno.test("a definition that throws when it is read is that file's error", async () => {
  await refused(
    "tools/a.mjs",
    module(
      `{ id: "acme.a", input: {}, output: {}, handler() {}, get limits() { throw new Error("gotcha"); } }`,
    ),
    (error) => {
      assertEquals(error.code, "manifest-validation-failed");
      assertStringIncludes(error.message, "gotcha");
    },
  );
});

Deno.test("values that JSON can't write are refused with their place", async () => {
  for (
    const [limits, reason] of [
      ["{ deep: [10n] }", "/limits/deep/0"],
      ["{ n: NaN }", "/limits/n"],
      ["(() => { const a = {}; a.self = a; return a; })()", "/limits/self"],
    ] as const
  ) {
    await refused(
      "tools/a.mjs",
      module(
        `{ id: "acme.a", input: {}, output: {}, handler() {}, limits: ${limits} }`,
      ),
      (error) => {
        assertEquals(error.code, "manifest-validation-failed");
        assertEquals(error.field, "limits");
        assertStringIncludes(error.message, reason);
      },
    );
  }
});

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
