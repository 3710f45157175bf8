import type { PackIndex } from "../../pack_service/pack_index.ts";
import { planSandbox, type SandboxPlan } from "../../pack_service/sandbox.ts";
import { assert, assertEquals, assertStringIncludes } from "../assert.ts";

type Entry = Readonly<Record<string, unknown>>;

function plan(
  tools: readonly Entry[],
  {
    guardrails = [],
    mode = "declared",
  }: { guardrails?: readonly Entry[]; mode?: "declared" | "off" } = {},
): SandboxPlan {
  const index = {
    v: 1,
    packId: "p",
    packVersion: "1",
    artifactVersion: "1",
    tools: tools.map((tool) => ({
      modulePath: "t.ts",
      input: {},
      output: {},
      ...tool,
    })),
    guardrails: guardrails.map((guardrail) => ({
      checkModulePath: "c.ts",
      ...guardrail,
    })),
  } as unknown as PackIndex;
  return planSandbox(index, (path) => `/pack/${path}`, mode);
}

Deno.test("without declarations everything runs in the shared executor", () => {
  const { tools, checks, own, problems } = plan([{ id: "a" }, {
    id: "b",
    version: "1.0.0",
    sandbox: "none",
  }], { guardrails: [{ id: "g" }] });
  assertEquals(problems, []);
  assertEquals(own, []);
  assertEquals([...tools, ...checks].map(({ isolated }) => isolated), [
    undefined,
    undefined,
    undefined,
  ]);
});

Deno.test("each sandboxed tool version and check gets an executor of its own with only itself", () => {
  const network = { kind: "allowlist", hosts: ["a.example"] };
  const limits = { memMB: 64, cpuMs: 100 };
  const { tools, checks, own, sharedNetworks } = plan([
    { id: "a", version: "1.0.0", sandbox: "strict", network, limits },
    { id: "a", version: "2.0.0", sandbox: "context-isolated" },
    { id: "b", network: { kind: "none" } },
  ], { guardrails: [{ id: "g", checkId: "c", sandbox: "strict" }] });
  assertEquals(tools.map(({ isolated }) => isolated), [
    "tool a@1.0.0",
    "tool a@2.0.0",
    undefined,
  ]);
  assertEquals(checks.map(({ isolated }) => isolated), ["check c"]);
  assertEquals(
    own.map(({ name, sandbox, tool, check }) => [
      name,
      sandbox,
      tool?.id,
      check?.id,
    ]),
    [
      ["tool a@1.0.0", "strict", "a", undefined],
      ["tool a@2.0.0", "context-isolated", "a", undefined],
      ["check c", "strict", undefined, "c"],
    ],
  );
  assertEquals<unknown>(own[0]!.network, network);
  assertEquals(own[0]!.limits, limits);
  assertEquals(own[0]!.tool!.modulePath, "/pack/t.ts");
  assertEquals(sharedNetworks, [{ kind: "none" }]);
});

Deno.test("limits without strict are named and don't hold", () => {
  const limits = { memMB: 64 };
  const { own, limitsIgnored } = plan([
    { id: "a", limits },
    { id: "b", sandbox: "context-isolated", limits },
    { id: "c", sandbox: "strict", limits },
    { id: "d", limits: {} },
  ], { guardrails: [{ id: "g", limits }] });
  assertEquals(limitsIgnored, ["tool a", "tool b", "check g"]);
  assertEquals(own.map(({ limits }) => limits), [undefined, { memMB: 64 }]);
});

Deno.test("off puts everything into the shared executor and names what isn't held", () => {
  const { own, tools, sandboxIgnored, limitsIgnored, sharedNetworks } = plan([
    { id: "a", sandbox: "strict", network: { kind: "none" } },
    { id: "b", sandbox: "context-isolated" },
    { id: "c" },
  ], { mode: "off" });
  assertEquals(own, []);
  assert(tools.every(({ isolated }) => isolated === undefined));
  assertEquals(limitsIgnored, []);
  assertEquals(sandboxIgnored, ["tool a", "tool b"]);
  assertEquals(sharedNetworks, [{ kind: "none" }, undefined, undefined]);
});

Deno.test("a declaration that can't be held is a problem that names tool, value and what is known", () => {
  const wrong: readonly [Entry, string][] = [
    [{ sandbox: "vm" }, `its sandbox "vm" is unknown; "strict" and`],
    [{ sandbox: null }, "its sandbox null is unknown"],
    [{ network: "none" }, "its network is none of"],
    [{ network: { kind: "some" } }, "its network is none of"],
    [{ network: { kind: "allowlist" } }, "its network is none of"],
    [{ limits: [] }, "its limits are not an object"],
    [
      { limits: { memMB: 15 } },
      "its limits.memMB is not a number of at least 16",
    ],
    [{ limits: { memMB: "64" } }, "its limits.memMB is not a number"],
    [
      { limits: { cpuMs: 0.5 } },
      "its limits.cpuMs is not a number of at least 1",
    ],
  ];
  for (const [entry, text] of wrong) {
    const { problems } = plan([{ id: "a", version: "1.0.0", ...entry }]);
    assertEquals(problems.length, 1);
    assertStringIncludes(problems[0]!, `tool a@1.0.0: ${text}`);
    const guarded = plan([], { guardrails: [{ id: "g", ...entry }] }).problems;
    assertStringIncludes(guarded[0]!, `check g: ${text}`);
  }
});

Deno.test("off is the way out for declarations that nothing can hold, too", () => {
  const { problems, sandboxIgnored, sharedNetworks } = plan([
    { id: "a", sandbox: "vm", limits: { memMB: 1 } },
    { id: "b", network: "none" },
  ], { mode: "off" });
  assertEquals(problems, []);
  assertEquals(sandboxIgnored, ["tool a"]);
  assertEquals(sharedNetworks, [undefined, undefined]);
});

Deno.test("a host is a name, name:port, an IP address or *.name", () => {
  const hosts = (list: readonly unknown[]) =>
    plan([{ id: "a", network: { kind: "allowlist", hosts: list } }]).problems;
  assertEquals(
    hosts([
      "example.com",
      "example.com:443",
      "*.example.com",
      "*.example.com:8443",
      "localhost",
      "10.0.0.1",
      "10.0.0.1:80",
      "::1",
      "::ffff:10.0.0.1",
      "[::1]",
      "[fe80::1]:65535",
      "db_1.internal",
      "xn--bcher-kva.example",
    ]),
    [],
  );
  for (
    const host of [
      "",
      "*",
      "*.",
      "a..b",
      ".",
      "...",
      "a b",
      "a,b",
      "a:99999",
      "a:b",
      "a:",
      "https://a.example",
      "a.example/path",
      "[::1",
      "[a]",
      ":::",
      "1:2:3",
      "*.*.example",
      "a.*.example",
      "unix:/tmp/x",
      7,
      null,
    ]
  ) assertEquals(hosts(["fine.example", host]).length, 1, String(host));
});
