import {
  type EffectiveHitlPolicy,
  resolveEffectiveHitlPolicy,
  toolGate,
} from "../../../agents/policy/mod.ts";
import { assertEquals } from "../../assert.ts";
import { agentWith } from "../examples.ts";

function policyOf(
  hitl?: Record<string, unknown>,
  tenant?: Parameters<typeof resolveEffectiveHitlPolicy>[0]["tenant"],
): EffectiveHitlPolicy {
  const agent = agentWith(
    hitl === undefined ? {} : { conversationPolicy: { hitl } },
  );
  return resolveEffectiveHitlPolicy({ tenant, agent });
}

const WRITES = { id: "pack.lookup" };
const READS = { id: "pack.lookup", mutating: false };

Deno.test("[101] an agent without hitl.tools never asks, whatever its tools change", () => {
  for (const tool of [WRITES, READS, { ...WRITES, mutating: true }]) {
    assertEquals(toolGate(policyOf(), tool), {
      mode: "never_ask",
      requiredRole: "standard",
    });
  }
});

Deno.test("[102] with empty hitl.tools only what changes something asks, on first use", () => {
  const policy = policyOf({ tools: {} });
  assertEquals(toolGate(policy, READS).mode, "never_ask");
  assertEquals(toolGate(policy, WRITES).mode, "ask_on_first_use");
  assertEquals(
    toolGate(policy, { ...WRITES, mutating: true }).mode,
    "ask_on_first_use",
  );
});

Deno.test("an override comes before the default, and a rule's role before the agent's", () => {
  const policy = policyOf({
    tools: {
      default: "never_ask",
      overrides: {
        "pack.lookup": { mode: "always_ask", requiredRole: "admin" },
        "pack.other": "ask_on_first_use",
      },
    },
    defaultReviewerRole: "senior",
  });
  assertEquals(toolGate(policy, READS), {
    mode: "always_ask",
    requiredRole: "admin",
  });
  assertEquals(toolGate(policy, { id: "pack.other" }), {
    mode: "ask_on_first_use",
    requiredRole: "senior",
  });
  assertEquals(toolGate(policy, { id: "pack.free" }).mode, "never_ask");
});

Deno.test("[104] a tenant's floor gates its tool even where the agent asks for nothing, and no other tool", () => {
  const tenant = {
    tools: {
      "pack.lookup": { mode: "always_ask", requiredRole: "senior" },
    },
  } as const;
  const policy = policyOf(undefined, tenant);
  assertEquals(toolGate(policy, READS), {
    mode: "always_ask",
    requiredRole: "senior",
  });
  assertEquals(toolGate(policy, { id: "pack.other" }).mode, "never_ask");
  const stricter = policyOf({
    tools: {
      overrides: {
        "pack.lookup": { mode: "ask_on_first_use", requiredRole: "admin" },
      },
    },
  }, tenant);
  assertEquals(toolGate(stricter, WRITES), {
    mode: "always_ask",
    requiredRole: "admin",
  });
});
