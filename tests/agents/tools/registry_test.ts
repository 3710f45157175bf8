import fc from "fast-check";
import { createToolRegistry, type Tool } from "../../../agents/mod.ts";
import { defineTool } from "../../../define/mod.ts";
import {
  assert,
  assertEquals,
  assertThrows,
  errValue,
  okValue,
} from "../../assert.ts";
import { tool } from "../examples.ts";

Deno.test("tools are found by id, at their highest or at an exact version", () => {
  const registry = createToolRegistry([
    tool("acme.t", "1.0.0"),
    tool("acme.u", "1.0.0"),
    tool("acme.t", "2.0.0-rc.1"),
    tool("acme.t", "1.10.0"),
  ]);
  assertEquals(registry.get("acme.t")?.version, "2.0.0-rc.1");
  assertEquals(registry.getVersion("acme.t", "1.0.0")?.version, "1.0.0");
  assertEquals(registry.getVersion("acme.t", "1.0"), undefined);
  assertEquals(registry.versions("acme.t"), ["2.0.0-rc.1", "1.10.0", "1.0.0"]);
  assertEquals<string[]>(registry.ids(), ["acme.t", "acme.u"]);
  assertEquals(registry.list().map(({ id, version }) => `${id}@${version}`), [
    "acme.t@1.0.0",
    "acme.u@1.0.0",
    "acme.t@2.0.0-rc.1",
    "acme.t@1.10.0",
  ]);
  assert(registry.has("acme.t") && !registry.has("acme.none"));
  assert(registry.hasVersion("acme.t", "1.10.0"));
  assert(!registry.hasVersion("acme.t", "1.9.0"));
  assertEquals(registry.get("acme.none"), undefined);
  assertEquals(registry.versions("acme.none"), []);
});

Deno.test("an unknown tool is not found, whatever the range", () => {
  const error = errValue(createToolRegistry().resolve("acme.none", "latest"));
  assert(error.code === "tool-not-found");
  assertEquals<string>(error.toolId, "acme.none");
});

Deno.test("[95] a version that isn't semver is kept and never resolved", () => {
  const registry = createToolRegistry([
    tool("acme.t", "1.0.0"),
    tool("acme.t", "bogus"),
  ]);
  assertEquals(
    okValue(registry.resolve("acme.t", "*")).resolvedVersion,
    "1.0.0",
  );
  const error = errValue(registry.resolve("acme.t", "^3"));
  assert(error.code === "tool-version-unresolvable");
  assertEquals(error.availableVersions, ["1.0.0", "bogus"]);
  assertEquals(registry.get("acme.t")?.version, "1.0.0");
});

Deno.test("a version of a tool is registered once", () => {
  const registry = createToolRegistry([tool("acme.t", "1.0.0")]);
  const error = errValue(registry.register(tool("acme.t", "1.0.0")));
  assertEquals(error.code, "duplicate-tool-version");
  assertEquals<string>(error.toolId, "acme.t");
  assertEquals(error.version, "1.0.0");
  assertThrows(
    () =>
      createToolRegistry([tool("acme.t", "1.0.0"), tool("acme.t", "1.0.0")]),
    TypeError,
    "acme.t",
  );
});

Deno.test("[trap 30] a version that differs only in build metadata is refused, in either order", () => {
  for (
    const [first, second] of [["1.0.0+a", "1.0.0+b"], ["1.0.0", "1.0.0+b"]]
  ) {
    for (const [known, refused] of [[first, second], [second, first]]) {
      const registry = createToolRegistry([tool("acme.t", known!)]);
      const error = errValue(registry.register(tool("acme.t", refused!)));
      assertEquals(error.code, "duplicate-tool-version");
      assertEquals(registry.versions("acme.t"), [known!]);
    }
  }
});

Deno.test("a tenant sees the tools for all and its own, and never another tenant's", () => {
  const registry = createToolRegistry([tool("acme.shared", "1.0.0")]);
  const [one, two] = [registry.forTenant("t-1"), registry.forTenant("t-2")];
  okValue(one.register(tool("acme.own", "1.0.0")));
  okValue(one.register(tool("acme.shared", "1.1.0")));

  assertEquals(
    okValue(one.resolve("acme.shared", "^1")).resolvedVersion,
    "1.1.0",
  );
  assertEquals(
    okValue(two.resolve("acme.shared", "^1")).resolvedVersion,
    "1.0.0",
  );
  assertEquals(errValue(two.resolve("acme.own", "*")).code, "tool-not-found");
  assert(!registry.has("acme.own"));
  assert(registry.forTenant("t-1").has("acme.own"));
  assertEquals<string[]>(one.ids(), ["acme.shared", "acme.own"]);

  // Two tenants may have a version of their own under one id.
  okValue(two.register(tool("acme.own", "1.0.0")));
  okValue(registry.register(tool("acme.late", "1.0.0")));
  assert(one.has("acme.late") && two.has("acme.late"));
});

Deno.test("an id and version mean one tool to whoever sees it, in whatever order they came", () => {
  const registry = createToolRegistry();
  const tenant = registry.forTenant("t-1");
  okValue(tenant.register(tool("acme.t", "1.0.0")));
  assertEquals(
    errValue(registry.register(tool("acme.t", "1.0.0"))).code,
    "duplicate-tool-version",
  );
  okValue(registry.register(tool("acme.u", "1.0.0")));
  assertEquals(
    errValue(tenant.register(tool("acme.u", "1.0.0"))).code,
    "duplicate-tool-version",
  );
});

Deno.test("the order in which tools are registered doesn't change what resolves", () => {
  const versions = ["1.0.0", "1.2.0", "1.3.0-beta.1", "2.0.0", "bogus"];
  fc.assert(
    fc.property(
      fc.shuffledSubarray(versions, { minLength: 1 }),
      fc.constantFrom("*", "^1", "~1.2.0", ">=1.3.0-beta.0", "^3", "latest"),
      (order, range) => {
        const resolved = (versions: string[]) => {
          const tools = versions.map((version) => tool("acme.t", version));
          const answer = createToolRegistry(tools).resolve("acme.t", range);
          return answer.kind === "ok"
            ? answer.value.resolvedVersion
            : answer.error;
        };
        assertEquals<unknown>(resolved(order), resolved([...order].sort()));
      },
    ),
  );
});

Deno.test("what defineTool answers can be registered as it is", () => {
  const greet = okValue(defineTool({
    id: "acme.greet",
    version: "1.0.0",
    description: "Greets someone by name",
    input: { type: "object", properties: { name: { type: "string" } } },
    output: { type: "string" },
    handler: (input: { name: string }, ctx) => {
      ctx.log.info("greeting");
      return `Hello, ${input.name}!`;
    },
  }));
  const registered: Tool = greet;
  assert(createToolRegistry([registered]).get("acme.greet") === registered);
});
