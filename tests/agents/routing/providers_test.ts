import {
  type Capability,
  createProviderRegistry,
  defineCapability,
  type ModelInfo,
  type ModelProvider,
  type ProviderMetadata,
} from "../../../agents/mod.ts";
import {
  assert,
  assertEquals,
  assertThrows,
  errValue,
  okValue,
} from "../../assert.ts";
import { modelInfo, places, provider } from "../examples.ts";

const TENANT = "t-1";

Deno.test("[117] providers are checked, unique within a tenant, and unseen by others", () => {
  const { registry, register } = createProviderRegistry();
  const invalid = errValue(register(TENANT, provider("")));
  assert(invalid.code === "invalid-provider");
  assertEquals(invalid.reason, "empty-id");
  const empty = errValue(register(TENANT, provider("a", {}, { models: [] })));
  assert(empty.code === "invalid-provider");
  assertEquals(empty.reason, "empty-models");

  const a = provider("a");
  okValue(register(TENANT, a));
  const twice = errValue(register(TENANT, provider("a")));
  assert(twice.code === "duplicate-provider");
  assertEquals(twice.providerId, "a");
  assertEquals(registry.list("t-2"), []);
  okValue(register("t-2", provider("a")));

  assertEquals(registry.list(TENANT), [a]);
  assert(registry.get(TENANT, "a") === a);
  assert(registry.has(TENANT, "a") && !registry.has(TENANT, "b"));
  assertEquals(registry.get("t-3", "a"), undefined);
});

Deno.test("a bad seed throws, and so does the registry's own register", () => {
  const seed = [{ tenantId: TENANT, provider: provider("a") }];
  const { registry } = createProviderRegistry(seed);
  assertEquals(registry.list(TENANT).length, 1);
  assertThrows(
    () => createProviderRegistry([...seed, ...seed]),
    TypeError,
    "a",
  );
  assertThrows(() => registry.register(TENANT, provider("a")), TypeError);
  assertThrows(() => registry.register(TENANT, provider("")), TypeError);
});

function reasonFor(
  model: Record<string, unknown>,
  metadata: Record<string, unknown> = {},
): string {
  const given = provider(
    "a",
    model as Partial<ModelInfo>,
    metadata as Partial<ProviderMetadata>,
  );
  const error = errValue(createProviderRegistry().register(TENANT, given));
  assert(error.code === "invalid-provider");
  return error.reason;
}

const cost = { promptUsdPer1kTokens: 0, completionUsdPer1kTokens: 0 };

for (
  const [reason, model, metadata] of [
    ["empty-region", {}, { region: " " }],
    ["empty-model-name", { name: "" }, {}],
    ["duplicate-model-name", {}, { models: [modelInfo("m"), modelInfo("m")] }],
    ["invalid-context-window", { contextWindow: 0 }, {}],
    ["invalid-context-window", { contextWindow: 1.5 }, {}],
    ["invalid-cost", { cost: { ...cost, promptUsdPer1kTokens: -1 } }, {}],
    ["invalid-cost", { cost: { ...cost, completionUsdPer1kTokens: NaN } }, {}],
    ["invalid-cost", { cost: { ...cost, cacheReadUsdPer1kTokens: -1 } }, {}],
    ["invalid-p95-latency", { p95LatencyMs: -1 }, {}],
    ["invalid-max-output-tokens", { maxOutputTokens: 0 }, {}],
    ["invalid-sampling", { sampling: "yes" }, {}],
    ["invalid-thinking", { thinking: { mode: "never", lowest: "low" } }, {}],
    ["invalid-thinking", { thinking: { mode: "always", lowest: "" } }, {}],
    ["invalid-thinking", {
      thinking: { mode: "always", lowest: "low", highest: "high" },
    }, {}],
    ["unknown-default-model", {}, { defaultModel: "other" }],
    ["invalid-labels", {}, { labels: 5 }],
    ["invalid-labels", {}, { labels: ["x"] }],
    ["invalid-labels", {}, { labels: { "-a": "x" } }],
    ["invalid-labels", {}, { labels: { ["a".repeat(64)]: "x" } }],
    ["invalid-labels", {}, { labels: { a: "x".repeat(257) } }],
    ["invalid-labels", {}, {
      labels: Object.fromEntries(
        Array.from({ length: 33 }, (_, index) => [`k${index}`, "x"]),
      ),
    }],
  ] as const
) {
  Deno.test(`a provider with ${JSON.stringify({ ...model, ...metadata }).slice(0, 90)} is refused: ${reason}`, () => {
    assertEquals(reasonFor(model, metadata), reason);
  });
}

Deno.test("the first fault in the given order is the one reported", () => {
  assertEquals(
    reasonFor({ contextWindow: 0, cost: {}, sampling: 1 }, { labels: 5 }),
    "invalid-context-window",
  );
});

Deno.test("a provider without invoke, and what is no provider at all, are refused", () => {
  const { register } = createProviderRegistry();
  const { metadata } = provider("a");
  const error = errValue(register(TENANT, { metadata } as ModelProvider));
  assert(error.code === "invalid-provider");
  assertEquals(error.reason, "invalid-invoke");
  for (const nothing of [null, undefined, 5, {}]) {
    const error = errValue(register(TENANT, nothing as never));
    assert(error.code === "invalid-provider");
    assertEquals(error.reason, "empty-id");
  }
});

Deno.test("a provider with everything set is registered", () => {
  const full = provider("a", {
    p95LatencyMs: 0,
    maxOutputTokens: 1,
    sampling: false,
    thinking: { mode: "adaptive", lowest: "low" },
    cost: {
      ...cost,
      cacheReadUsdPer1kTokens: 0,
      cacheWriteUsdPer1kTokens: 1,
      reasoningUsdPer1kTokens: 2,
    },
  }, {
    defaultModel: "a/m",
    labels: { "team.a/b_c-d": "x".repeat(256), a: "" },
    attributes: ["lower-cost"],
  });
  okValue(createProviderRegistry().register(TENANT, full));
});

Deno.test("[118] a capability needs something, of the known forms", () => {
  const none = errValue(defineCapability({ needs: [] }));
  assertEquals(none.code, "invalid-capability");
  assertEquals(places(none.issues), ["/needs"]);
  const psychic = { needs: [{ feature: "psychic" }] } as unknown as Capability;
  assertEquals(errValue(defineCapability(psychic)).code, "invalid-capability");
  const capability: Capability = {
    needs: [{ feature: "vision" }],
    budget: { maxCostUsd: 1 },
  };
  assertEquals(okValue(defineCapability(capability)), capability);
});

Deno.test("defineCapability takes no extra keys, copies, and never throws", () => {
  const extra = { needs: [{ feature: "vision" }], extra: 1 };
  assertEquals(
    errValue(defineCapability(extra as Capability)).issues.length,
    1,
  );
  const needs = [{ region: "eu" }];
  const defined = okValue(defineCapability({ needs }));
  needs.push({ region: "us" });
  assertEquals(defined.needs.length, 1);
  for (const odd of [null, 5, () => 1, { needs: [1n] }]) {
    assertEquals(
      errValue(defineCapability(odd as unknown as Capability)).code,
      "invalid-capability",
    );
  }
});
