import fc from "fast-check";
import {
  combineHitlSpecs,
  higherRole,
  type HitlSpec,
  resolveEffectiveHitlPolicy,
  REVIEWER_ROLES,
  type ReviewerRole,
  stricterToolHitlRule,
  TOOL_HITL_MODES,
  type ToolHitlRule,
  toolHitlRule,
  validateHitlSpec,
} from "../../../agents/mod.ts";
import { assert, assertEquals } from "../../assert.ts";
import { agentWith, places } from "../examples.ts";

const HOUR = 60 * 60 * 1_000;

function resolve(
  tenant: HitlSpec | undefined,
  hitl: Record<string, unknown> = {},
  policy: Record<string, unknown> = {},
) {
  const agent = agentWith({ conversationPolicy: { ...policy, hitl } });
  return resolveEffectiveHitlPolicy({ tenant, agent });
}

Deno.test("[96] without any policy there are exactly the three defaults", () => {
  assertEquals(
    resolveEffectiveHitlPolicy({ tenant: undefined, agent: agentWith() }),
    {
      defaultReviewerRole: "standard",
      timeoutMs: 86_400_000,
      onTimeout: "escalate",
    },
  );
});

Deno.test("[97] hitl.afterTurns comes before hitlAfterTurns", () => {
  assertEquals(
    resolve(undefined, { afterTurns: 3 }, { hitlAfterTurns: 5 }).turn,
    { afterTurns: 3 },
  );
  const agent = agentWith({ conversationPolicy: { hitlAfterTurns: 5 } });
  assertEquals(
    resolveEffectiveHitlPolicy({ tenant: undefined, agent }).turn,
    { afterTurns: 5 },
  );
});

Deno.test("[98] a tenant caps the timeout, the default too, and never lengthens it", () => {
  const tenant = { maxTimeoutMs: HOUR };
  assertEquals(resolve(tenant, { timeoutMs: 48 * HOUR }).timeoutMs, HOUR);
  assertEquals(resolve(tenant, { timeoutMs: HOUR / 6 }).timeoutMs, HOUR / 6);
  assertEquals(resolve(tenant).timeoutMs, HOUR);
});

Deno.test("[99] a tenant raises the reviewer's role and never lowers it", () => {
  const agent = { defaultReviewerRole: "senior" };
  assertEquals(
    resolve({ minReviewerRole: "standard" }, agent).defaultReviewerRole,
    "senior",
  );
  assertEquals(
    resolve({ minReviewerRole: "admin" }, agent).defaultReviewerRole,
    "admin",
  );
});

Deno.test("a tenant's lowest role holds where an agent's override names a lower one", () => {
  const overrides = {
    low: { mode: "always_ask", requiredRole: "standard" },
    high: { mode: "always_ask", requiredRole: "admin" },
    unnamed: "always_ask",
  } as const;
  const policy = resolve({ minReviewerRole: "senior" }, {
    tools: { overrides },
  });
  assertEquals(Object.fromEntries(policy.tools?.overrides ?? []), {
    low: { mode: "always_ask", requiredRole: "senior" },
    high: { mode: "always_ask", requiredRole: "admin" },
    unnamed: { mode: "always_ask" },
  });
  const free = resolve(undefined, { tools: { overrides } });
  assertEquals(free.tools?.overrides.get("low"), overrides.low);
});

Deno.test("[100] a tenant's floor stands next to the agent's override", () => {
  const policy = resolve({ tools: { "acme.pay": "always_ask" } }, {
    tools: { overrides: { "acme.pay": "never_ask" } },
  });
  assertEquals(policy.tools?.overrides.get("acme.pay"), { mode: "never_ask" });
  assertEquals(policy.toolFloors?.get("acme.pay"), { mode: "always_ask" });
});

Deno.test("[101] an empty tools object counts for the agent and not for the tenant", () => {
  const policy = resolve({ tools: {} }, { tools: {} });
  assertEquals(policy.tools?.overrides.size, 0);
  assert(policy.tools !== undefined && !("default" in policy.tools));
  assert(!("toolFloors" in policy));
});

Deno.test("[102] every fault of a tenant's review policy is an issue, tool ids escaped", () => {
  const checked = validateHitlSpec({
    maxTimeoutMs: 0,
    minReviewerRole: "x",
    tools: { "a/b": { mode: "x", z: 1 } },
    q: 1,
  });
  assert(checked.kind === "err");
  assertEquals(places(checked.issues), [
    "/q",
    "/maxTimeoutMs",
    "/minReviewerRole",
    "/tools/a~1b/z",
    "/tools/a~1b/mode",
  ]);
});

for (
  const [spec, paths] of [
    [[], [""]],
    [null, [""]],
    [{ tools: [] }, ["/tools"]],
    [{ tools: { "": "always_ask" } }, ["/tools/"]],
    [{ tools: { "a~b": "maybe", c: 5 } }, ["/tools/a~0b", "/tools/c"]],
    [{ tools: { a: {} } }, ["/tools/a/mode"]],
    [{ tools: { a: { mode: "always_ask", requiredRole: "boss" } } }, [
      "/tools/a/requiredRole",
    ]],
    [{ maxTimeoutMs: 1.5 }, ["/maxTimeoutMs"]],
  ] as const
) {
  Deno.test(`the review policy ${JSON.stringify(spec)} is refused at ${paths.join(" and ") || "its root"}`, () => {
    const checked = validateHitlSpec(spec);
    assert(checked.kind === "err");
    assertEquals(places(checked.issues), [...paths]);
  });
}

Deno.test("a review policy that is fine is answered as it was given", () => {
  const spec = { maxTimeoutMs: 5, tools: { a: "always_ask" } };
  assertEquals<unknown>(validateHitlSpec(spec), { kind: "ok", value: spec });
  assert(validateHitlSpec({}).kind === "ok");
});

Deno.test("[103] combined policies are as strict as each", () => {
  assertEquals(
    combineHitlSpecs([
      { maxTimeoutMs: 10, tools: { t: "always_ask" } },
      {
        maxTimeoutMs: 5,
        minReviewerRole: "senior",
        tools: { t: { mode: "never_ask", requiredRole: "admin" } },
      },
    ]),
    {
      maxTimeoutMs: 5,
      minReviewerRole: "senior",
      tools: { t: { mode: "always_ask", requiredRole: "admin" } },
    },
  );
  assertEquals(combineHitlSpecs([]), {});
});

Deno.test("of two roles, of which one may be absent, the higher counts", () => {
  assertEquals(higherRole("senior", "standard"), "senior");
  assertEquals(higherRole(undefined, "standard"), "standard");
  assertEquals(higherRole("admin", undefined), "admin");
  assertEquals(higherRole(undefined, undefined), undefined);
});

const role = fc.constantFrom(...REVIEWER_ROLES);
const mode = fc.constantFrom(...TOOL_HITL_MODES);
const rule: fc.Arbitrary<ToolHitlRule> = fc.record(
  { mode, requiredRole: role },
  { requiredKeys: ["mode"] },
);
const toolId = fc.constantFrom("a", "b", "__proto__");
const spec: fc.Arbitrary<HitlSpec> = fc.record({
  maxTimeoutMs: fc.integer({ min: 1, max: 100 }),
  minReviewerRole: role,
  tools: fc.dictionary(toolId, fc.oneof(mode, rule), { maxKeys: 3 }),
}, { requiredKeys: [] });

function modeLevel(rule: ToolHitlRule | undefined): number {
  return rule === undefined ? 0 : TOOL_HITL_MODES.indexOf(rule.mode);
}

function roleLevel(role: ReviewerRole | undefined): number {
  return role === undefined ? -1 : REVIEWER_ROLES.indexOf(role);
}

function ruleOf(spec: HitlSpec, id: string): ToolHitlRule | undefined {
  const entries = Object.entries(spec.tools ?? {});
  const value = entries.find(([key]) => key === id)?.[1];
  return value === undefined ? undefined : toolHitlRule(value);
}

/** Whether one policy demands at least what another does. */
function atLeastAsStrict(strict: HitlSpec, loose: HitlSpec): boolean {
  return (strict.maxTimeoutMs ?? Infinity) <=
      (loose.maxTimeoutMs ?? Infinity) &&
    roleLevel(strict.minReviewerRole) >= roleLevel(loose.minReviewerRole) &&
    Object.keys(loose.tools ?? {}).every((id) => {
      const [ours, theirs] = [ruleOf(strict, id), ruleOf(loose, id)];
      return modeLevel(ours) >= modeLevel(theirs) &&
        roleLevel(ours?.requiredRole) >= roleLevel(theirs?.requiredRole);
    });
}

Deno.test("the stricter of two rules is idempotent, commutative and associative", () => {
  fc.assert(
    fc.property(rule, rule, rule, (a, b, c) => {
      const stricter = stricterToolHitlRule;
      assertEquals(stricter(a, a), a);
      assertEquals(stricter(a, b), stricter(b, a));
      assertEquals(stricter(stricter(a, b), c), stricter(a, stricter(b, c)));
    }),
  );
});

Deno.test("combining policies is idempotent, ignores their order, and is as strict as each", () => {
  fc.assert(
    fc.property(fc.array(spec, { maxLength: 4 }), (specs) => {
      const combined = combineHitlSpecs(specs);
      assertEquals(combineHitlSpecs([...specs].reverse()), combined);
      assertEquals(combineHitlSpecs([combined, ...specs]), combined);
      assertEquals(validateHitlSpec(combined).kind, "ok");
      for (const each of specs) assert(atLeastAsStrict(combined, each));
    }),
  );
});

Deno.test("one more policy never loosens what is combined", () => {
  fc.assert(
    fc.property(fc.array(spec, { maxLength: 3 }), spec, (specs, another) => {
      assert(
        atLeastAsStrict(
          combineHitlSpecs([...specs, another]),
          combineHitlSpecs(specs),
        ),
      );
    }),
  );
});

Deno.test("a stricter tenant never loosens what a turn runs under", () => {
  const hitl = fc.record({
    timeoutMs: fc.integer({ min: 1, max: 100 }),
    defaultReviewerRole: role,
  }, { requiredKeys: [] });
  fc.assert(
    fc.property(hitl, spec, spec, (own, tenant, another) => {
      const before = resolve(tenant, own);
      const after = resolve(combineHitlSpecs([tenant, another]), own);
      assert(after.timeoutMs <= before.timeoutMs);
      assert(
        roleLevel(after.defaultReviewerRole) >=
          roleLevel(before.defaultReviewerRole),
      );
      for (const [id, floor] of before.toolFloors ?? []) {
        const stricter = after.toolFloors?.get(id);
        assert(modeLevel(stricter) >= modeLevel(floor));
      }
    }),
  );
});
