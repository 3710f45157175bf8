import fc from "fast-check";
import {
  type Capability,
  type CapabilityUnsatisfiableError,
  mergeTenantPolicies,
  MODEL_FEATURES,
  type ModelProvider,
  type Requirement,
  route,
  type RouteInput,
  type TenantPolicy,
} from "../../../agents/mod.ts";
import {
  assert,
  assertEquals,
  assertStringIncludes,
  errValue,
  okValue,
} from "../../assert.ts";
import { modelInfo, provider } from "../examples.ts";

const TOOL_USE: Capability = { needs: [{ feature: "tool-use" }] };
const TENANT = "t-1";

/** Where a route goes, as `<provider>/<model>`, alternates after it. */
function order(input: Partial<RouteInput>): string[] {
  const { provider, model, alternates } = okValue(
    route({ capability: TOOL_USE, providers: [], ...input }),
  );
  return [{ provider, model }, ...alternates].map((pair) =>
    `${pair.provider.metadata.id}/${pair.model.name}`
  );
}

function refusal(input: Partial<RouteInput>): CapabilityUnsatisfiableError {
  return errValue(route({ capability: TOOL_USE, providers: [], ...input }));
}

/** The first reason for which the only pair is refused. */
function firstReason(input: Partial<RouteInput>) {
  const [first] = refusal(input).reasons;
  assert(first !== undefined);
  const [rejecting] = first.rejectingProviders;
  assert(rejecting !== undefined);
  return { requirement: first.requirement, ...rejecting };
}

Deno.test("[104] equals are ordered by provider id", () => {
  const routed = okValue(
    route({ capability: TOOL_USE, providers: [provider("b"), provider("a")] }),
  );
  assertEquals(routed.provider.metadata.id, "a");
  assertEquals(routed.alternates.map(({ provider }) => provider.metadata.id), [
    "b",
  ]);
  assertEquals(routed.fallback, false);
});

Deno.test("[105] preferences rank by their summed weights, which may be negative", () => {
  const providers = [
    provider("cheap", {}, { attributes: ["lower-cost"] }),
    provider("smart", {}, { attributes: ["higher-accuracy"] }),
  ];
  const ranked = (weight: number) =>
    order({
      providers,
      capability: {
        ...TOOL_USE,
        prefer: [
          { feature: "higher-accuracy", weight },
          { feature: "lower-cost", weight: 1 },
        ],
      },
    });
  assertEquals(ranked(3), ["smart/smart/m", "cheap/cheap/m"]);
  assertEquals(ranked(-5), ["cheap/cheap/m", "smart/smart/m"]);
});

Deno.test("[106] a fallback provider counts only when no other fits", () => {
  const echo = provider("dev-echo", {}, { fallback: true });
  const both = okValue(
    route({ capability: TOOL_USE, providers: [echo, provider("gemini")] }),
  );
  assertEquals(both.provider.metadata.id, "gemini");
  assertEquals(both.alternates, []);
  assertEquals(both.fallback, false);

  const alone = okValue(route({ capability: TOOL_USE, providers: [echo] }));
  assertEquals(alone.fallback, true);
  assertStringIncludes(alone.reason, "fallback");
});

Deno.test("a hint never lifts a fallback over a regular provider", () => {
  const echo = provider("dev-echo", {}, { fallback: true });
  assertEquals(
    order({
      providers: [echo, provider("gemini")],
      preferredProvider: "dev-echo",
    }),
    ["gemini/gemini/m"],
  );
});

Deno.test("[108] hints move what matches to the front, and one that matches nothing is ignored", () => {
  const sonnet = { models: [modelInfo("sonnet")] };
  const providers = [
    provider("aardvark"),
    provider("anthropic", {}, sonnet),
    provider("openrouter", {}, sonnet),
  ];
  assertEquals(
    order({
      providers,
      preferredProvider: "openrouter",
      preferredModel: "sonnet",
    })[0],
    "openrouter/sonnet",
  );
  assertEquals(order({ providers, preferredModel: "sonnet" }), [
    "anthropic/sonnet",
    "openrouter/sonnet",
    "aardvark/aardvark/m",
  ]);
  assertEquals(
    order({ providers, preferredProvider: "nobody" }),
    order({ providers }),
  );
});

Deno.test("[109] a provider's default model comes first among equals only", () => {
  const providers = [
    provider("p", {}, {
      models: [
        modelInfo("a-model", { features: ["tool-use", "vision"] }),
        modelInfo("z-model"),
      ],
      defaultModel: "z-model",
    }),
  ];
  assertEquals(order({ providers })[0], "p/z-model");
  const capability: Capability = {
    ...TOOL_USE,
    prefer: [{ feature: "vision", weight: 1 }],
  };
  assertEquals(order({ providers, capability })[0], "p/a-model");
});

for (
  const policy of [
    { providers: { allow: [] } },
    { models: { allow: [] } },
    { regionAllow: [] },
  ]
) {
  Deno.test(`[110] a tenant's ${JSON.stringify(policy)} allows nothing`, () => {
    const tenantPolicy = { tenantId: TENANT, ...policy };
    const error = refusal({ providers: [provider("a")], tenantPolicy });
    assertEquals(error.code, "capability-unsatisfiable");
  });
}

Deno.test("[110] an empty deny list denies nothing", () => {
  const tenantPolicy = { tenantId: TENANT, providers: { deny: [] } };
  assertEquals(order({ providers: [provider("a")], tenantPolicy }), ["a/a/m"]);
});

Deno.test("a kind that isn't text fits no provider, whatever it is", () => {
  for (const kind of [{ toString: 1, valueOf: 1 }, null, ["llm-inference"]]) {
    const capability = { kind, needs: [] } as unknown as Capability;
    const { reason } = firstReason({ providers: [provider("a")], capability });
    assertEquals(reason.code, "capability-kind-mismatch");
  }
});

Deno.test("[112] no providers leave no reasons, and another kind is one", () => {
  assertEquals(refusal({}).reasons, []);
  const { requirement, reason } = firstReason({
    providers: [provider("a")],
    capability: { kind: "gpu-compute", needs: [] },
  });
  assertEquals(reason.code, "capability-kind-mismatch");
  assertStringIncludes(requirement, "capability.kind");
});

Deno.test("[113] a tenant's cost cap compares the prompt price per 1 000 tokens", () => {
  const providers = [provider("a")];
  const capped = (maxCostPerCallUsd: number) => ({
    providers,
    tenantPolicy: { tenantId: TENANT, maxCostPerCallUsd },
  });
  const { reason } = firstReason(capped(0.002));
  assert(reason.code === "tenant-cost-cap-exceeded");
  assertEquals(reason.observedUsd, 0.003);
  assertEquals(reason.capUsd, 0.002);
  assertEquals<string | undefined>(refusal(capped(0.002)).tenantId, TENANT);
  assertEquals(order(capped(0.003)), ["a/a/m"]);
});

Deno.test("[115] a need for latency fails a model that reports none", () => {
  const { reason } = firstReason({
    providers: [provider("a")],
    capability: { needs: [{ p95LatencyMs: { op: "<=", value: 500 } }] },
  });
  assertEquals(reason.code, "p95-latency-unknown");
});

const BOUND: TenantPolicy = {
  tenantId: TENANT,
  providers: { allow: ["a", "b"] },
  models: { deny: ["x"] },
  maxCostPerCallUsd: 0.05,
};

Deno.test("[116] two policies of a tenant bound the routing as one that is as strict as each", () => {
  const merged = mergeTenantPolicies(BOUND, {
    tenantId: TENANT,
    providers: { allow: ["b", "c"] },
    models: { deny: ["y"] },
    maxCostPerCallUsd: 0.02,
  });
  assertEquals(merged, {
    tenantId: TENANT,
    providers: { allow: ["b"] },
    models: { deny: ["x", "y"] },
    maxCostPerCallUsd: 0.02,
  });
  const providers = ["a", "b", "c"].map((id) => provider(id));
  assertEquals(order({ providers, tenantPolicy: merged }), ["b/b/m"]);

  const disjoint = mergeTenantPolicies(BOUND, {
    tenantId: TENANT,
    providers: { allow: ["c"] },
  });
  assertEquals(
    refusal({ providers, tenantPolicy: disjoint }).code,
    "capability-unsatisfiable",
  );
});

for (
  const [need, label, code] of [
    [{ feature: "vision" }, "feature:vision", "missing-feature"],
    [
      { contextWindow: { op: ">", value: 128_000 } },
      "contextWindow>128000",
      "context-window-mismatch",
    ],
    [
      { costPerCall: { op: "<", usd: 0.003 } },
      "costPerCall<$0.003",
      "cost-exceeds-cap",
    ],
    [{ region: "eu" }, "region=eu", "region-mismatch"],
    [
      { p95LatencyMs: { op: "<", value: 900 } },
      "p95LatencyMs<900",
      "p95-latency-exceeds",
    ],
    [
      { providers: { deny: ["a"], allow: ["a"] } },
      "providers{allow:[a]deny:[a]}",
      "provider-on-denylist",
    ],
    [
      { providers: { allow: [] } },
      "providers{allow:[]}",
      "provider-not-in-allowlist",
    ],
    [{ models: { deny: ["a/m"] } }, "models{deny:[a/m]}", "model-on-denylist"],
    [
      { models: { allow: ["b", "c"] } },
      "models{allow:[b,c]}",
      "model-not-in-allowlist",
    ],
  ] as const
) {
  Deno.test(`the need ${label} is refused with ${code}`, () => {
    const providers = [provider("a", { p95LatencyMs: 900 })];
    const { requirement, id, reason } = firstReason({
      providers,
      capability: { needs: [need as Requirement] },
    });
    assertEquals(requirement, label);
    assertEquals(id, "a/a/m");
    assertEquals<string>(reason.code, code);
  });
}

for (
  const [policy, label, code] of [
    [
      { providers: { deny: ["a"], allow: ["a"] } },
      "tenant.providers.deny[a]",
      "tenant-denied",
    ],
    [
      { providers: { allow: ["b"] } },
      "tenant.providers.allow[b]",
      "tenant-not-allowed",
    ],
    [
      { models: { deny: ["a/m"] } },
      "tenant.models.deny[a/m]",
      "tenant-model-denied",
    ],
    [
      { models: { allow: ["x"] } },
      "tenant.models.allow[x]",
      "tenant-model-not-allowed",
    ],
    [
      { regionAllow: ["eu"] },
      "tenant.regionAllow[eu]",
      "tenant-region-not-allowed",
    ],
    [
      { maxTokensPerCall: 128_001 },
      "tenant.maxTokensPerCall contextWindow>=128001",
      "context-window-mismatch",
    ],
  ] as const
) {
  Deno.test(`the tenant's ${label} refuses with ${code}`, () => {
    const { requirement, reason } = firstReason({
      providers: [provider("a")],
      tenantPolicy: { tenantId: TENANT, ...policy },
    });
    assertEquals(requirement, label);
    assertEquals<string>(reason.code, code);
  });
}

Deno.test("reasons tell which pairs each requirement keeps and refuses, in the order they are looked at", () => {
  const error = refusal({
    providers: [
      provider("a", { features: ["vision"] }),
      provider("b", {}, { region: "eu" }),
    ],
    capability: { needs: [{ feature: "tool-use" }, { region: "us-east-1" }] },
  });
  assertEquals(
    error.reasons.map((
      { requirement, satisfyingProviders, rejectingProviders },
    ) => ({
      requirement,
      satisfyingProviders,
      rejecting: rejectingProviders.map(({ id }) => id),
    })),
    [
      {
        requirement: "feature:tool-use",
        satisfyingProviders: ["b/b/m"],
        rejecting: ["a/a/m"],
      },
      {
        requirement: "region=us-east-1",
        satisfyingProviders: ["a/a/m"],
        rejecting: ["b/b/m"],
      },
    ],
  );
  assert(!("tenantId" in error));
});

Deno.test("a refusal by an allow list says what is allowed", () => {
  for (const key of ["providers", "models"] as const) {
    const { reason } = firstReason({
      providers: [provider("a")],
      capability: { needs: [{ [key]: { allow: ["b"] } } as never] },
    });
    assertEquals((reason as { allow?: readonly string[] }).allow, ["b"]);
  }
});

Deno.test("a model whose window or price is exactly the tenant's bound is let through", () => {
  const tenantPolicy = {
    tenantId: TENANT,
    maxTokensPerCall: 128_000,
    maxCostPerCallUsd: 0.003,
  };
  assertEquals(order({ providers: [provider("a")], tenantPolicy }), ["a/a/m"]);
});

Deno.test("ids that a reader can't tell apart keep one order", () => {
  const composed = provider("\u00e9");
  const decomposed = provider("e\u0301");
  const expected = order({ providers: [composed, decomposed] });
  assertEquals(order({ providers: [decomposed, composed] }), expected);
});

for (
  const needs of [
    [{}],
    [{ feature: "tool-use", region: "us-east-1" }],
    [{ contextWindow: { op: "~", value: 1 } }],
    [{ p95LatencyMs: { op: ">=", value: 1 } }],
    [{ costPerCall: { op: "<" } }],
    [{ contextWindow: 1 }],
    [{ region: 5 }],
    [{ models: { deny: [5] } }],
    [{ providers: { allow: "a" } }],
    [{ constructor: {} }],
    [null],
    ["tool-use"],
    undefined,
    "tool-use",
  ]
) {
  Deno.test(`needs that can't be read, ${JSON.stringify(needs)}, are satisfied by nothing`, () => {
    const { reason } = firstReason({
      providers: [provider("a")],
      capability: { needs } as unknown as Capability,
    });
    assertEquals(reason.code, "unknown-requirement");
  });
}

Deno.test("preferences that can't be read rank nothing", () => {
  const capability = {
    needs: [],
    prefer: [null, { feature: "tool-use", weight: NaN }, 5],
  } as unknown as Capability;
  assertEquals(
    order({ providers: [provider("b"), provider("a")], capability }),
    [
      "a/a/m",
      "b/b/m",
    ],
  );
});

const ids = ["a", "B", "c", "ä", "a-1"];
const features = fc.subarray([...MODEL_FEATURES.slice(0, 5)]);
const providers: fc.Arbitrary<ModelProvider[]> = fc
  .subarray(ids, { minLength: 1 })
  .chain((chosen) =>
    fc.tuple(...chosen.map((id) =>
      fc.record({
        features,
        region: fc.constantFrom("us", "eu"),
        fallback: fc.boolean(),
        price: fc.constantFrom(0.001, 0.003),
        attributes: fc.subarray(["lower-cost", "higher-accuracy"]),
        names: fc.subarray(["m", "n", "M"], { minLength: 1 }),
      }).map(({ features, region, fallback, price, attributes, names }) =>
        provider(id, {}, {
          region,
          fallback,
          attributes,
          models: names.map((name) =>
            modelInfo(name, {
              features,
              cost: {
                promptUsdPer1kTokens: price,
                completionUsdPer1kTokens: price,
              },
            })
          ),
        })
      )
    ))
  );
const capability: fc.Arbitrary<Capability> = fc.record({
  needs: fc.array(
    fc.oneof(
      fc.constantFrom<Requirement>(
        { feature: "tool-use" },
        { feature: "vision" },
        { region: "us" },
        { costPerCall: { op: "<=", usd: 0.002 } },
      ),
    ),
    { maxLength: 2 },
  ),
  prefer: fc.array(
    fc.record({
      feature: fc.constantFrom("lower-cost", "higher-accuracy", "vision"),
      weight: fc.integer({ min: -2, max: 2 }),
    }),
    { maxLength: 2 },
  ),
});
const policy: fc.Arbitrary<TenantPolicy> = fc.record({
  tenantId: fc.constant(TENANT),
  providers: fc.record(
    { allow: fc.subarray(ids), deny: fc.subarray(ids) },
    { requiredKeys: [] },
  ),
  models: fc.record({ allow: fc.subarray(["m", "n", "M"]) }, {
    requiredKeys: [],
  }),
  regionAllow: fc.subarray(["us", "eu"]),
  maxCostPerCallUsd: fc.constantFrom(0.001, 0.002, 0.003),
  maxTokensPerCall: fc.constantFrom(1, 128_000),
}, { requiredKeys: ["tenantId"] });

Deno.test("the order of the providers doesn't change where a capability goes", () => {
  const permuted = providers.chain((given) =>
    fc.tuple(
      fc.constant(given),
      fc.shuffledSubarray(given, {
        minLength: given.length,
        maxLength: given.length,
      }),
    )
  );
  fc.assert(
    fc.property(
      permuted,
      capability,
      fc.option(policy, { nil: undefined }),
      fc.option(fc.constantFrom(...ids), { nil: undefined }),
      ([given, shuffled], capability, tenantPolicy, preferredProvider) => {
        const at = (providers: ModelProvider[]) => {
          const input = {
            capability,
            providers,
            tenantPolicy,
            preferredProvider,
          };
          const routed = route(input);
          return routed.kind === "ok"
            ? { order: order(input), fallback: routed.value.fallback }
            : routed.error.reasons.map(({ requirement }) => requirement);
        };
        assertEquals<unknown>(at(shuffled), at(given));
      },
    ),
    { numRuns: 300 },
  );
});

Deno.test("hints change the order and nothing else", () => {
  fc.assert(
    fc.property(
      providers,
      fc.constantFrom(...ids),
      fc.constantFrom("m", "n", "none"),
      (providers, preferredProvider, preferredModel) => {
        const capability = { needs: [] };
        const plain = order({ providers, capability });
        const hinted = order({
          providers,
          capability,
          preferredProvider,
          preferredModel,
        });
        assertEquals([...hinted].sort(), [...plain].sort());
      },
    ),
  );
});

/** The pairs that a policy lets through. */
function allowed(
  providers: ModelProvider[],
  tenantPolicy: TenantPolicy | undefined,
): string[] {
  const regular = providers.map((each) => ({
    ...each,
    metadata: { ...each.metadata, fallback: false },
  }));
  const input = { providers: regular, capability: { needs: [] }, tenantPolicy };
  return route(input).kind === "ok" ? order(input).sort() : [];
}

Deno.test("a merged policy lets through exactly what both let through", () => {
  fc.assert(
    fc.property(providers, policy, policy, (providers, a, b) => {
      const both = allowed(providers, a).filter((pair) =>
        allowed(providers, b).includes(pair)
      );
      const merged = mergeTenantPolicies(a, b);
      // A merged token bound keeps the smaller, as the reference has it: compare without it.
      const comparable = a.maxTokensPerCall === undefined &&
        b.maxTokensPerCall === undefined;
      if (comparable) assertEquals(allowed(providers, merged), both);
      else {
        const found = allowed(providers, merged);
        assert(both.every((pair) => found.includes(pair)));
      }
    }),
    { numRuns: 300 },
  );
});

Deno.test("merging a policy with itself or with none changes nothing", () => {
  assertEquals(mergeTenantPolicies(undefined, undefined), undefined);
  fc.assert(
    fc.property(policy, policy, (a, b) => {
      assert(mergeTenantPolicies(a, undefined) === a);
      assert(mergeTenantPolicies(undefined, a) === a);
      assertEquals(mergeTenantPolicies(a, a), a);
      const merged = mergeTenantPolicies(a, b);
      assertEquals(mergeTenantPolicies(merged, b), merged);
    }),
  );
});
