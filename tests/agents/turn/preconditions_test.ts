/** What a turn checks before it stores anything: cases C. */
import { createPolicyRegistry, type PolicyKind } from "../../../agents/mod.ts";
import { delegating } from "./turn_fixture.ts";
import {
  assert,
  assertEquals,
  assertObjectMatch,
  assertRejects,
  okValue,
} from "../../assert.ts";
import {
  errorOf,
  lookup,
  provider,
  say,
  type Scene,
  scene,
  type SceneOptions,
  WITH_TOOL,
} from "./turn_fixture.ts";

/** Invokes, and holds that the failure left nothing behind. */
async function refused(
  options: SceneOptions,
  input: Parameters<Scene["invoke"]>[0] = {},
): Promise<Record<string, unknown>> {
  const stage = await scene({ script: [say("Hi")], ...options });
  const error = errorOf(await stage.invoke(input));
  // [34]
  assertEquals(await stage.messages(), []);
  assertEquals(stage.kinds(), ["turn.failed"]);
  assertEquals(stage.provider.calls, []);
  return error;
}

Deno.test("[19] [34] an unknown conversation is refused", async () => {
  assertObjectMatch(await refused({}, { conversationId: "c-9" }), {
    code: "conversation-not-found",
    conversationId: "c-9",
  });
});

Deno.test("[20] [34] a closed conversation is refused", async () => {
  const stage = await scene();
  okValue(await stage.store.conversations.closeConversation("t-1", "c-1"));
  assertObjectMatch(errorOf(await stage.invoke()), {
    code: "conversation-closed",
    conversationId: "c-1",
  });
});

Deno.test("[21] [34] another version of the agent is refused", async () => {
  const stage = await scene({ script: [say("Hi")] });
  const agent = {
    ...stage.agent,
    version: "1.1.0" as typeof stage.agent.version,
  };
  assertObjectMatch(errorOf(await stage.invoke({ agent })), {
    code: "agent-version-mismatch",
    conversationId: "c-1",
    expectedVersion: "1.0.0",
    actualVersion: "1.1.0",
  });
});

Deno.test("[22] [34] guardrails that aren't bound are all named", async () => {
  assertObjectMatch(
    await refused({
      agent: { guardrails: ["a", "b"] },
      guardrails: [{
        id: "a",
        kind: "zero-llm",
        check: "must-cite",
        action: { "on-violation": "halt" },
      }],
    }),
    { code: "unresolved-guardrail", guardrailIds: ["b"] },
  );
});

Deno.test("[23] [34] a tool that isn't registered is named", async () => {
  assertObjectMatch(
    await refused({ agent: { tools: [{ id: "pack.nope", version: "*" }] } }),
    { code: "unresolved-tool", toolId: "pack.nope" },
  );
});

Deno.test("[24] [34] a range that nothing satisfies comes with the versions there are", async () => {
  assertObjectMatch(
    await refused({
      agent: { tools: [{ id: "pack.lookup", version: "^2.0.0" }] },
      tools: ["1.0.0", "1.2.0"].map((version) => lookup({ version }).tool),
    }),
    {
      code: "tool-version-unresolvable",
      requestedRange: "^2.0.0",
      availableVersions: ["1.2.0", "1.0.0"],
    },
  );
});

Deno.test("[25] [34] [trap 29] what isn't a range has no versions to offer", async () => {
  for (const version of ["not a range", "1.2.x.4"]) {
    const error = await refused({
      agent: { tools: [{ id: "pack.lookup", version }] },
      tools: [lookup().tool],
    });
    assertEquals(error.code, "tool-version-unresolvable");
    assert(!("availableVersions" in error));
  }
});

Deno.test("[trap 28] any version doesn't mean a prerelease", async () => {
  assertObjectMatch(
    await refused({
      agent: { tools: [{ id: "pack.lookup", version: "*" }] },
      tools: [lookup({ version: "1.0.0-beta.1" }).tool],
    }),
    {
      code: "tool-version-unresolvable",
      availableVersions: ["1.0.0-beta.1"],
    },
  );
});

Deno.test("[27] [34] a need that no model has fails the routing", async () => {
  assertObjectMatch(
    await refused({
      agent: { capabilities: [{ needs: [{ feature: "vision" }] }] },
    }),
    {
      code: "capability-routing-failed",
      cause: { code: "capability-unsatisfiable" },
    },
  );
});

/** A registry with one policy, or one that can't be evaluated. */
function policies(kind: PolicyKind, evaluate: () => object) {
  const policyRegistry = createPolicyRegistry();
  okValue(
    policyRegistry.register({ kind, evaluate: () => evaluate() as never }),
  );
  return { policyRegistry };
}

Deno.test("[28] [34] two allow lists intersect, and an empty one allows nothing", async () => {
  assertObjectMatch(
    await refused({
      bindings: {
        tenantPolicy: { tenantId: "t-1", providers: { allow: ["p"] } },
        ...policies("model-routing", () => ({ providers: { allow: ["q"] } })),
      },
    }),
    { code: "capability-routing-failed" },
  );
});

Deno.test("[29] two deny lists unite", async () => {
  const { invoke } = await scene({
    providers: ["p", "q", "r"].map((id) => provider([say("Hi")], { id })),
    bindings: {
      tenantPolicy: { tenantId: "t-1", providers: { deny: ["p"] } },
      ...policies("model-routing", () => ({ providers: { deny: ["q"] } })),
    },
  });
  assertEquals(okValue(await invoke()).provider.id, "r");
});

Deno.test("[30] [34] a policy that can't be evaluated fails the turn, by its kind", async () => {
  for (const policyKind of ["hitl", "model-routing", "tool-errors"] as const) {
    const bindings = policies(policyKind, () => {
      throw new Error("down");
    });
    assertObjectMatch(await refused({ bindings }), {
      code: "tenant-policy-unavailable",
      policyKind,
    });
  }
});

Deno.test("[31] [34] another tenant's tool doesn't exist", async () => {
  const stage = await scene({ agent: WITH_TOOL, script: [say("Hi")] });
  stage.bindings.toolRegistry.forTenant("t-2").register(lookup().tool);
  assertObjectMatch(errorOf(await stage.invoke()), {
    code: "unresolved-tool",
    toolId: "pack.lookup",
  });
});

Deno.test("[32] providers are loaded before the turn is routed", async () => {
  const stage = await scene({ providers: [] });
  const { providerRegistry } = stage.bindings;
  Object.assign(stage.bindings, {
    providerRegistry: {
      ...providerRegistry,
      list: (tenantId: string) => providerRegistry.list(tenantId),
      async hydrate(tenantId: string) {
        await Promise.resolve();
        providerRegistry.register(tenantId, provider([say("Hi")]));
      },
    },
  });
  assertEquals(okValue(await stage.invoke()).response.content, "Hi");
});

Deno.test("[35] a missing parameter fails the render, and nothing is stored", async () => {
  const stage = await scene({
    agent: {
      instructions: "Help {{ who }}.",
      parameters: [{ name: "who", type: "string" }],
    },
    script: [say("Hi")],
  });
  assertObjectMatch(errorOf(await stage.invoke()), {
    code: "model-invocation-failed",
    cause: { code: "missing-parameter" },
  });
  assertEquals(await stage.messages(), []);
});

Deno.test("[36] without a run binding the promise rejects", async () => {
  const stage = await scene();
  const { runBinding: _, ...bindings } = stage.bindings;
  Object.assign(stage.bindings, { runBinding: undefined });
  await assertRejects(() => stage.invoke(), TypeError, "runBinding");
  await assertRejects(() => stage.resume("run-1"), TypeError, "runBinding");
  assert(!("runBinding" in bindings));
});

Deno.test("a binding that no turn can do without is named, with where to have it from", async () => {
  for (
    const [name, from] of [
      ["providerRegistry", "createProviderRegistry"],
      ["toolRegistry", "createToolRegistry"],
      ["memoryBinding", "memory"],
      ["conversationBinding", "conversations"],
      ["runSnapshotBinding", "snapshots"],
    ]
  ) {
    const stage = await scene();
    Object.assign(stage.bindings, { [name!]: undefined });
    for (const turn of [() => stage.invoke(), () => stage.resume("run-1")]) {
      const { message } = await assertRejects(turn, TypeError, `.${name}:`);
      assert(message.includes(from!));
    }
  }
});

Deno.test("[37] what the run binding can't do is the cause", async () => {
  const stage = await scene({ script: [say("Hi")] });
  Object.assign(stage.bindings, {
    runBinding: delegating(stage.runBinding, () =>
      Promise.resolve({
        kind: "err",
        error: { code: "journal-error", message: "no disk" },
      })),
  });
  assertObjectMatch(errorOf(await stage.invoke()), {
    code: "model-invocation-failed",
    cause: { code: "journal-error" },
  });
  assertEquals(stage.kinds(), []);
});

Deno.test("[38] a snapshot that can't be written doesn't stop a turn that doesn't park", async () => {
  for (
    const write of [
      () => Promise.reject(new Error("no disk")),
      () =>
        Promise.resolve({
          kind: "err" as const,
          error: {
            code: "persistence-error" as const,
            message: "no disk",
            cause: null,
          },
        }),
    ]
  ) {
    const stage = await scene({ script: [say("Hi")] });
    const { read } = stage.store.snapshots;
    Object.assign(stage.bindings, { runSnapshotBinding: { write, read } });
    assertEquals(okValue(await stage.invoke()).status, "completed");
  }
});

Deno.test("a principal without an authoriser is refused in setup (decisions.md 28)", async () => {
  assertObjectMatch(await refused({}, { principal: { userId: "u-1" } }), {
    code: "authorization-unavailable",
  });
});
