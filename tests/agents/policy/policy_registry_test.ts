import fc from "fast-check";
import {
  createPolicyRegistry,
  MAX_TOOL_ERROR_RETRIES,
  POLICY_KINDS,
  resolveEffectiveToolErrors,
  TOOL_ERROR_KINDS,
  type ToolErrorsSpec,
  validatePolicySpec,
  validateToolErrorsSpec,
} from "../../../agents/mod.ts";
import { evaluateTenantPolicy } from "../../../agents/policy/mod.ts";
import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
  errValue,
  okValue,
} from "../../assert.ts";
import { agentWith, places } from "../examples.ts";

const TENANT = { tenantId: "t-1" };

Deno.test("a kind without an executor has no policy, and bound kinds are listed", async () => {
  const registry = createPolicyRegistry();
  assertEquals(registry.boundKinds(), []);
  assertEquals(await registry.evaluate("hitl", TENANT), undefined);
  okValue(registry.register({ kind: "hitl", evaluate: () => undefined }));
  assertEquals(registry.boundKinds(), ["hitl"]);
  assertEquals(await registry.evaluate("hitl", TENANT), undefined);
});

Deno.test("an executor answers at once or later, for the tenant that is asked about", async () => {
  const registry = createPolicyRegistry();
  okValue(registry.register({
    kind: "hitl",
    evaluate: ({ tenantId }) =>
      Promise.resolve(tenantId === "t-1" ? { maxTimeoutMs: 5 } : undefined),
  }));
  okValue(registry.register({
    kind: "tool-errors",
    evaluate: () => ({ maxRetries: 0 }),
  }));
  assertEquals(await registry.evaluate("hitl", TENANT), { maxTimeoutMs: 5 });
  assertEquals(await registry.evaluate("hitl", { tenantId: "t-2" }), undefined);
  assertEquals(await registry.evaluate("tool-errors", TENANT), {
    maxRetries: 0,
  });
});

Deno.test("a second executor of a kind is refused, and the first stays", async () => {
  const registry = createPolicyRegistry();
  okValue(
    registry.register({ kind: "hitl", evaluate: () => ({ maxTimeoutMs: 1 }) }),
  );
  const error = errValue(
    registry.register({ kind: "hitl", evaluate: () => ({}) }),
  );
  assertEquals(error.code, "policy-already-bound");
  assertEquals(await registry.evaluate("hitl", TENANT), { maxTimeoutMs: 1 });
});

for (
  const [how, evaluate] of [
    ["throws", () => {
      throw new Error("store is down");
    }],
    ["rejects", () => Promise.reject(new Error("store is down"))],
  ] as const
) {
  Deno.test(`a policy whose executor ${how} is unavailable, naming its kind and the cause`, async () => {
    const registry = createPolicyRegistry();
    okValue(registry.register({ kind: "model-routing", evaluate }));
    await assertRejects(() => registry.evaluate("model-routing", TENANT));
    const error = errValue(
      await evaluateTenantPolicy(registry, "model-routing", TENANT),
    );
    assertEquals(error.code, "tenant-policy-unavailable");
    assertEquals(error.policyKind, "model-routing");
    assertStringIncludes(error.message, "store is down");
  });
}

Deno.test("a document that is no policy of its kind is unavailable, never ignored", async () => {
  const registry = createPolicyRegistry();
  const evaluate = () => ({ minReviewerRole: "boss" }) as never;
  okValue(registry.register({ kind: "hitl", evaluate }));
  const error = errValue(await evaluateTenantPolicy(registry, "hitl", TENANT));
  assertStringIncludes(error.message, "/minReviewerRole");
});

Deno.test("a document that can't be read is unavailable, and not a rejection", async () => {
  const registry = createPolicyRegistry();
  const unreadable = {
    get tools(): never {
      throw new Error("no such column");
    },
  };
  okValue(registry.register({ kind: "hitl", evaluate: () => unreadable }));
  const error = errValue(await evaluateTenantPolicy(registry, "hitl", TENANT));
  assertEquals(error.code, "tenant-policy-unavailable");
  assertStringIncludes(error.message, "no such column");
});

for (
  const [policy, place] of [
    [null, "must be an object"],
    [new Map(), "must be an object"],
    // As text it would let through every provider whose id is a part of it.
    [{ providers: { allow: "acme-eu" } }, "/providers/allow"],
    [{ providers: { deny: ["acme", 5] } }, "/providers/deny"],
    [{ providers: ["acme"] }, "/providers"],
    [{ models: { allowed: ["m"] } }, "/models/allowed"],
    [{ models: { deny: [, "m"] } }, "/models/deny"],
    [{ regionAllow: "eu" }, "/regionAllow"],
    [{ maxCostPerCallUsd: "0.01" }, "/maxCostPerCallUsd"],
    [{ maxCostPerCallUsd: NaN }, "/maxCostPerCallUsd"],
    [{ maxTokensPerCall: -1 }, "/maxTokensPerCall"],
  ] as const
) {
  Deno.test(`a model-routing policy ${Deno.inspect(policy)} is unavailable, naming ${place}`, async () => {
    const registry = createPolicyRegistry();
    const evaluate = () => policy as never;
    okValue(registry.register({ kind: "model-routing", evaluate }));
    const error = errValue(
      await evaluateTenantPolicy(registry, "model-routing", TENANT),
    );
    assertEquals(error.code, "tenant-policy-unavailable");
    assertStringIncludes(error.message, place);
  });
}

Deno.test("a model-routing policy may bound everything or nothing, and have keys of the host's", async () => {
  const full = {
    id: "p-1",
    providers: { allow: ["a"], deny: [] },
    models: {},
    regionAllow: [],
    maxCostPerCallUsd: 0,
    maxTokensPerCall: 1_000,
  };
  for (const policy of [{}, full]) {
    const registry = createPolicyRegistry();
    const evaluate = () => policy;
    okValue(registry.register({ kind: "model-routing", evaluate }));
    const spec = okValue(
      await evaluateTenantPolicy(registry, "model-routing", TENANT),
    );
    assertEquals<unknown>(spec, policy);
  }
});

Deno.test("a policy that isn't a plain object is refused, whatever stands in it", () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  class Policy {
    readonly maxRetries = 0;
  }
  for (
    const value of [
      new Date(),
      new Map(),
      new Policy(),
      Object.create({}),
      proxy,
    ]
  ) {
    for (const kind of ["hitl", "tool-errors", "retention"] as const) {
      assertEquals(places(validatePolicySpec(kind, value)), [""], kind);
    }
  }
  assertEquals(validatePolicySpec("hitl", Object.create(null)), []);
});

Deno.test("without a registry, an executor or a policy there is nothing to apply", async () => {
  const none = await evaluateTenantPolicy(undefined, "hitl", TENANT);
  assertEquals(okValue(none), undefined);
  const unbound = createPolicyRegistry();
  assertEquals(
    okValue(await evaluateTenantPolicy(unbound, "hitl", TENANT)),
    undefined,
  );
});

Deno.test("policy documents are checked for the kinds whose shape is known here", () => {
  assertEquals(POLICY_KINDS.length, 8);
  assertEquals(places(validatePolicySpec("tool-errors", { maxRetries: -1 })), [
    "/maxRetries",
  ]);
  assertEquals(places(validatePolicySpec("hitl", { q: 1 })), ["/q"]);
  assertEquals(places(validatePolicySpec("retention", [])), [""]);
  assertEquals(validatePolicySpec("retention", { days: 3 }), []);
  for (
    const kind of ["access-control", "model-routing", "compliance"] as const
  ) {
    assertEquals(validatePolicySpec(kind, 5), []);
  }
});

Deno.test("a tool-errors policy says everything that is wrong with it", () => {
  const paths = (value: unknown) => {
    const checked = validateToolErrorsSpec(value);
    return checked.kind === "err" ? places(checked.issues) : [];
  };
  assertEquals(paths({}), []);
  assertEquals(paths({ maxRetries: MAX_TOOL_ERROR_RETRIES, retryOn: [] }), []);
  assertEquals(paths({ maxRetries: 0, retryOn: [...TOOL_ERROR_KINDS] }), []);
  assertEquals(paths(null), [""]);
  assertEquals(paths({ retryOn: "tool-error", "a/b": 1n }), [
    "/a~1b",
    "/retryOn",
  ]);
  assertEquals(paths({ maxRetries: 5n }), ["/maxRetries"]);
  assertEquals(paths({ retryOn: [, "tool-error"] }), ["/retryOn/0"]);
});

Deno.test("by default one bad or unknown call goes back to the model, and a tenant only takes away", () => {
  const resolve = (tenant: ToolErrorsSpec | undefined, own?: ToolErrorsSpec) =>
    resolveEffectiveToolErrors({
      tenant,
      agent: agentWith(own === undefined ? {} : { toolErrors: own }),
    });
  assertEquals(resolve(undefined), {
    maxRetries: 1,
    retryOn: ["invalid-arguments", "unknown-tool"],
  });
  assertEquals(resolve(undefined, { retryOn: ["tool-error"] }), {
    maxRetries: 1,
    retryOn: ["tool-error"],
  });
  assertEquals(
    resolve({ maxRetries: 1, retryOn: ["unknown-tool"] }, {
      maxRetries: 3,
      retryOn: [...TOOL_ERROR_KINDS],
    }),
    { maxRetries: 1, retryOn: ["unknown-tool"] },
  );

  const spec: fc.Arbitrary<ToolErrorsSpec> = fc.record({
    maxRetries: fc.integer({ min: 0, max: MAX_TOOL_ERROR_RETRIES }),
    retryOn: fc.shuffledSubarray([...TOOL_ERROR_KINDS]),
  }, { requiredKeys: [] });
  fc.assert(
    fc.property(spec, spec, (own, tenant) => {
      const free = resolve(undefined, own);
      const held = resolve(tenant, own);
      assert(held.maxRetries <= free.maxRetries);
      assert(held.retryOn.every((kind) => free.retryOn.includes(kind)));
      // Holding what is held once more changes nothing.
      assertEquals(resolve(tenant, held), held);
    }),
  );
});
