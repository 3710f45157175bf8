import { z } from "zod";
import { z as z3 } from "zod3";
import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
  errValue,
  okValue,
} from "./assert.ts";
import { DENO_ONLY } from "./runtime.ts";
// As in the indexer and the service: the host's checks are loaded. What holds without them is tested in a child process.
import "../base/json_schema.ts";
import {
  type CheckConfigError,
  defineCheck,
  defineConfig,
  defineGuardrail,
  defineTool,
  type GuardrailSpec,
  type ToolContext,
  type ToolSpec,
} from "../define.ts";

const ctx = { tenantId: "t", runId: "r" } as ToolContext;

/** A tool that is right, but for what a test changes; undefined takes a key away. */
function tool(change: Record<string, unknown> = {}): ToolSpec<never, unknown> {
  return {
    id: "demo.echo",
    version: "1.0.0",
    description: "Echoes",
    input: { type: "object", properties: { q: { type: "string" } } },
    output: { type: "string" },
    handler: () => "x",
    ...change,
  };
}

/** A guardrail that is right, but for what a test changes. */
function guardrail(change: Record<string, unknown> = {}): GuardrailSpec {
  return {
    id: "demo.short",
    kind: "zero-llm",
    check: "must-cite",
    action: { "on-violation": "halt" },
    ...change,
  };
}

function paths(change: Record<string, unknown>): string[] {
  const error = errValue(defineTool(tool(change)));
  assertStringIncludes(error.message, "demo.echo");
  return error.issues.map((issue) => issue.path);
}

Deno.test("a tool in Zod gets JSON Schemas by its own Zod and keeps the originals", async () => {
  const input = z.object({
    q: z.string().min(1),
    k: z.number().int().default(3),
  });
  const output = z.object({ answer: z.string(), n: z.number().default(1) });
  const made = okValue(defineTool({
    id: "demo.find",
    version: "1.2.3",
    description: "Finds",
    input,
    output,
    mutating: false,
    handler: ({ q, k }) => ({ answer: q.repeat(k), n: k }),
  }));
  assertEquals(made.input, z.toJSONSchema(input, { io: "input" }) as object);
  assertEquals(made.output, z.toJSONSchema(output, { io: "output" }) as object);
  assert(made.inputZod === input && made.outputZod === output);
  assertEquals(made.mutating, false);
  assertEquals(await made.handler({ q: "a", k: 2 }, ctx), {
    answer: "aa",
    n: 2,
  });
});

Deno.test("a tool in JSON Schema keeps it as written and has no key that wasn't given", () => {
  const spec = tool({ effects: undefined, sandbox: "strict" });
  const made = okValue(defineTool(spec));
  assert(made.input === spec.input);
  assertEquals(Object.keys(made).sort(), [
    "description",
    "handler",
    "id",
    "input",
    "output",
    "sandbox",
    "version",
  ]);
});

Deno.test("every fault of a tool's manifest is listed with its place", () => {
  assertEquals(
    paths({
      version: "^1.0.0",
      description: undefined,
      mutating: "no",
      colour: 1,
      effects: [{ resource: "db" }, "reads"],
      limits: { memMB: 8, cpuMs: 0 },
      network: { kind: "allowlist" },
    }).sort(),
    [
      "/colour",
      "/description",
      "/effects/0/kind",
      "/effects/1",
      "/limits/cpuMs",
      "/limits/memMB",
      "/mutating",
      "/network/hosts",
      "/version",
    ],
  );
  assertEquals(
    errValue(defineTool(tool({ id: " " }))).code,
    "invalid-tool-definition",
  );
  for (const spec of [null, undefined, [], "tool"]) {
    assertEquals(
      errValue(defineTool(spec as never)).code,
      "invalid-tool-definition",
    );
  }
});

Deno.test("a tool's version is an exact one, a prerelease among them", () => {
  for (const version of ["1.0.0", "0.0.1", "1.0.0-beta.1", "1.0.0+build.5"]) {
    assertEquals(okValue(defineTool(tool({ version }))).version, version);
  }
  for (
    const version of ["1", "1.0", "v1.0.0", "01.0.0", "1.0.0-01", "*", "", 1]
  ) {
    assertEquals(paths({ version }), ["/version"], String(version));
  }
});

Deno.test("a tool has exactly one of handler and spec", () => {
  assertEquals(paths({ handler: undefined }), [""]);
  assertEquals(paths({ spec: { kind: "http" } }), [""]);
  const declared = okValue(
    defineTool(tool({ handler: undefined, spec: { kind: "http" } })),
  );
  assertEquals(declared.spec, { kind: "http" });
  const thrown = assertThrows(() => declared.handler({} as never, ctx), Error);
  assertStringIncludes(thrown.message, "demo.echo");
});

Deno.test("an effect of an unknown kind has a code of its own", () => {
  const effects = [{ kind: "reads", resource: "db" }, { kind: "explodes" }];
  const error = errValue(defineTool(tool({ effects })));
  assertEquals(error.code, "unknown-effect");
  assertEquals(error.issues.map(({ path }) => path), ["/effects/1/kind"]);
  assertStringIncludes(error.message, "sensitive-data-egress");
});

Deno.test("a schema that can't be used is refused with its side", () => {
  const refused = (change: Record<string, unknown>) => {
    const error = errValue(defineTool(tool(change)));
    assertEquals(error.code, "invalid-schema");
    return error.issues.map(({ path }) => path);
  };
  assertEquals(refused({ input: { type: "strin" } }), ["/input"]);
  assertEquals(refused({ input: 1, output: [] }), ["/input", "/output"]);
  assertEquals(refused({ output: { required: ["x"], type: "object" } }), [
    "/output",
  ]);
  assertEquals(
    refused({
      needsSpec: {
        secrets: { type: "nope" },
        env: {
          type: "object",
          properties: { N: { type: "integer", default: 1 } },
        },
      },
    }),
    ["/needsSpec/secrets", "/needsSpec/env/properties/N/default"],
  );
});

Deno.test("every unrepresentable field of a Zod schema is named at once", () => {
  const input = z.object({
    n: z.bigint(),
    fine: z.string(),
    inner: z.object({ when: z.date() }),
  });
  const { code, message } = errValue(defineTool(tool({ input })));
  assertEquals(code, "invalid-schema");
  assertStringIncludes(message, "/properties/n");
  assertStringIncludes(message, "/properties/inner/properties/when");
  assert(!message.includes("/properties/fine"), message);
});

Deno.test("a schema of Zod 3 is refused by name, never taken for an empty one", () => {
  const { code, message } = errValue(
    defineTool(tool({ input: z3.object({ q: z3.string() }) })),
  );
  assertEquals(code, "invalid-schema");
  assertStringIncludes(message, "Zod 3");
});

Deno.test("a Zod that can't convert its own schemas leaves that to the indexer", () => {
  const input = z.object({ q: z.string() });
  Object.defineProperty(input, "toJSONSchema", { value: undefined });
  const made = okValue(defineTool(tool({ input })));
  assert(made.inputZod as unknown === input && made.input as unknown === input);
});

Deno.test("another library's schema is taken by its Standard JSON Schema, or refused by name", () => {
  const standard = {
    vendor: "other",
    validate: (value: unknown) => ({ value }),
  };
  const converting = {
    "~standard": {
      ...standard,
      jsonSchema: {
        input: ({ target }: { target: string }) => ({
          type: "object",
          title: target,
        }),
      },
    },
  };
  const made = okValue(defineTool(tool({ input: converting })));
  assertEquals(made.input, { type: "object", title: "draft-2020-12" });
  assert(!("inputZod" in made));
  const { message } = errValue(
    defineTool(tool({ input: { "~standard": standard } })),
  );
  assertStringIncludes(message, "other");
});

Deno.test("a check's function gets the config with defaults, and no config is an empty one", async () => {
  const seen: unknown[] = [];
  const schemas = [
    z.object({
      max: z.number().int().min(0).default(9),
      tag: z.string().optional(),
    }),
    {
      type: "object",
      properties: {
        max: { type: "integer", minimum: 0, default: 9 },
        tag: { type: "string" },
      },
    },
  ];
  for (const configSchema of schemas) {
    const check = defineCheck({
      id: "demo.checks.short",
      kind: "zero-llm",
      configSchema,
      evaluate: (config, trace, bindings) => {
        seen.push([config, trace.output, bindings]);
        return { passed: true };
      },
    });
    const given = { tag: "x" };
    assertEquals(await check.evaluate(undefined, { output: "o" }), {
      passed: true,
    });
    await check.evaluate(given, {}, {});
    assertEquals(given, { tag: "x" });
    const thrown = assertThrows(
      () => check.evaluate({ max: -1 }, {}),
      Error,
    ) as CheckConfigError;
    assertEquals([thrown.name, thrown.checkId], [
      "CheckConfigError",
      "demo.checks.short",
    ]);
    assertStringIncludes(thrown.message, "/max");
    assertThrows(() => check.evaluate([], {}));
    assertEquals(
      (check.configJsonSchema?.properties as Record<string, unknown>).max !==
        undefined,
      true,
    );
  }
  assertEquals(seen, [
    [{ max: 9 }, "o", {}],
    [{ max: 9, tag: "x" }, undefined, {}],
    [{ max: 9 }, "o", {}],
    [{ max: 9, tag: "x" }, undefined, {}],
  ]);
});

Deno.test("a check in Zod keeps it for the index, one without a schema takes any object", async () => {
  const configSchema = z.object({ a: z.string() });
  const evaluate = () => ({ passed: true });
  const check = defineCheck({
    id: "demo.a",
    kind: "zero-llm",
    configSchema,
    evaluate,
  });
  assert(check.configZod === configSchema);
  const open = defineCheck({ id: "demo.b", kind: "zero-llm", evaluate });
  assertEquals(Object.keys(open).sort(), ["evaluate", "id", "kind"]);
  const { evaluate: detached } = open;
  assertEquals(await detached({ any: 1 }, {}), { passed: true });
});

Deno.test("a check with an asynchronous Zod schema rejects what doesn't fit", async () => {
  const check = defineCheck({
    id: "demo.slow",
    kind: "zero-llm",
    configSchema: z.object({ a: z.string() }).refine((value) =>
      Promise.resolve(value.a === "ok")
    ),
    evaluate: ({ a }) => ({ passed: a === "ok" }),
  });
  assertEquals(await check.evaluate({ a: "ok" }, {}), { passed: true });
  await assertRejects(
    () => Promise.resolve(check.evaluate({ a: "no" }, {})),
    Error,
    "demo.slow",
  );
});

Deno.test("a check that can't be used throws where it is written", () => {
  const evaluate = () => ({ passed: true });
  for (
    const spec of [
      { kind: "zero-llm", evaluate },
      { id: "x", kind: "guess", evaluate },
      { id: "x", kind: "zero-llm" },
      { id: "x", kind: "zero-llm", evaluate, configSchema: { type: "nope" } },
      { id: "x", kind: "zero-llm", evaluate, configSchema: 1 },
      { id: "x", kind: "zero-llm", evaluate, extra: 1 },
      null,
    ]
  ) {
    assertThrows(() => defineCheck(spec as never), TypeError, "Cannot define");
  }
});

Deno.test("a guardrail that is right comes back as the same object", () => {
  const spec = guardrail({
    severity: "critical",
    scope: { when: "always", agents: ["a"] },
    action: { "on-violation": "retry", retry: { maxAttempts: 10 } },
    config: { minCitations: 2 },
  });
  assert(okValue(defineGuardrail(spec)) === spec);
  assert(okValue(defineGuardrail(spec, [])) === spec);
});

Deno.test("every fault of a guardrail is listed with its place", () => {
  const error = errValue(defineGuardrail(guardrail({
    id: undefined,
    kind: "guess",
    check: {},
    severity: "fatal",
    colour: 1,
    action: { retry: { maxAttempts: 11 }, more: 1 },
    scope: { when: "never", agents: "a" },
  })));
  assertEquals(error.code, "invalid-guardrail");
  assertEquals(error.issues.map(({ path }) => path).sort(), [
    "/action/more",
    "/action/on-violation",
    "/action/retry/maxAttempts",
    "/check",
    "/colour",
    "/id",
    "/kind",
    "/scope/agents",
    "/scope/when",
    "/severity",
  ]);
});

Deno.test("a guardrail's check must be there, judge the same way and take the config", () => {
  const check = defineCheck({
    id: "demo.checks.short",
    kind: "zero-llm",
    configSchema: z.object({ max: z.number().min(0) }),
    validateConfig: ({ max }) => max === 13 ? "13 brings bad luck" : undefined,
    evaluate: () => ({ passed: true }),
  });
  const registry = new Map([[check.id, check]]);
  const code = (change: Record<string, unknown>) =>
    errValue(
      defineGuardrail(guardrail({ check: check.id, ...change }), registry),
    );
  const config = { max: 3 };
  okValue(defineGuardrail(guardrail({ check: check.id, config }), [check]));
  assertEquals(code({ check: "demo.other" }).code, "unknown-check");
  assertEquals(
    code({ kind: "llm-judge", config }).code,
    "check-kind-mismatch",
  );
  assertEquals(code({ config: { max: -1 } }).code, "invalid-check-config");
  assertEquals(code({}).code, "invalid-check-config");
  assertStringIncludes(code({ config: { max: 13 } }).message, "bad luck");
});

Deno.test("a config is answered as it was given", () => {
  const config = { pack: { id: "demo", version: "1.0.0" }, own: 1 };
  assert(defineConfig(config) === config);
});

Deno.test(
  "the door loads no validator and needs no permission, and defines all the same",
  DENO_ONLY,
  async () => {
    const door = new URL("../define.ts", import.meta.url).href;
    const script = `
    import * as define from ${JSON.stringify(door)};
    const check = define.defineCheck({
      id: "a.b",
      kind: "zero-llm",
      configSchema: {
        type: "object",
        properties: {
          max: { type: "integer", default: 9 },
          inner: { type: "object", properties: { on: { default: true } } },
        },
      },
      evaluate: (config) => ({ passed: true, attributes: config }),
    });
    const tool = define.defineTool({
      id: "a.c",
      version: "1.0.0",
      description: "d",
      input: {},
      output: {},
      handler: () => 1,
    });
    const agent = define.defineAgent({});
    const flow = define.defineFlow({});
    console.log(JSON.stringify([
      tool.kind,
      agent.kind,
      flow.kind,
      check.evaluate({ inner: {} }, {}),
    ]));
  `;
    const folder = await Deno.makeTempDir();
    const file = `${folder}/main.js`;
    await Deno.writeTextFile(file, script);
    const config = new URL("../deno.json", import.meta.url).pathname;
    const deno = async (...args: string[]) => {
      const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args,
        stdout: "piped",
        stderr: "piped",
      }).output();
      const text = new TextDecoder();
      return { out: text.decode(stdout), problem: text.decode(stderr) };
    };
    const run = await deno(
      "run",
      "--no-prompt",
      "--cached-only",
      `--config=${config}`,
      file,
    );
    const graph = await deno("info", "--json", `--config=${config}`, door);
    await Deno.remove(folder, { recursive: true });
    assertEquals(
      run.out.trim(),
      JSON.stringify(["ok", "err", "err", {
        passed: true,
        attributes: { inner: { on: true }, max: 9 },
      }]),
      run.problem,
    );
    assertStringIncludes(loaded(graph.out), "define/tool.ts");
    assertStringIncludes(loaded(graph.out), "agents/flow/define_flow.ts");
    for (const heavy of ["ajv", "liquidjs", "base/platform.ts", '"node:']) {
      assert(!loaded(graph.out).includes(heavy), heavy);
    }
  },
);

/** The modules that run: those of a graph that aren't only there for their types. */
function loaded(graph: string): string {
  const { roots, modules } = JSON.parse(graph) as {
    roots: string[];
    modules: {
      specifier: string;
      dependencies?: { code?: { specifier?: string } }[];
    }[];
  };
  const seen = new Set<string>();
  const follow = (specifier: string): void => {
    if (seen.has(specifier)) return;
    seen.add(specifier);
    const module = modules.find((known) => known.specifier === specifier);
    for (const { code } of module?.dependencies ?? []) {
      if (code?.specifier) follow(code.specifier);
    }
  };
  roots.forEach(follow);
  return JSON.stringify([...seen]);
}
