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
