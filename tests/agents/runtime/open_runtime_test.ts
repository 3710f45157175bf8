/** What is wrong with a runtime's options is told when it is opened. */
import {
  createMemoryStore,
  createScriptedProvider,
  createToolRegistry,
  type Tool,
} from "../../../agents/mod.ts";
import { openAgentRuntime } from "../../../agents/runtime/mod.ts";
import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "../../assert.ts";

const PROVIDER = createScriptedProvider({ answers: [{ text: "Hi" }] });
const TOOL: Tool = {
  id: "acme.wave",
  version: "1.0.0",
  description: "Waves",
  input: { type: "object" },
  output: {},
  handler: () => "waved",
};

/** The options of a runtime, some of them other ones. */
function opened(options: Record<string, unknown> = {}) {
  return openAgentRuntime({
    store: createMemoryStore(),
    providers: [PROVIDER],
    tools: [TOOL],
    ...options,
  });
}

/** A mistake, and what its error has to say. */
const MISTAKES: readonly [Record<string, unknown>, ...string[]][] = [
  [{ store: undefined }, '"store"', "createMemoryStore()"],
  [{ store: "agents.db" }, '"store"', "openSqliteStore(path)"],
  [{ store: Promise.resolve(createMemoryStore()) }, '"store"', "await it"],
  [{ providers: undefined }, '"providers"', "give a list"],
  [{ providers: PROVIDER }, '"providers"', "give a list"],
  [{ providers: [undefined] }, '"providers"', "item 0"],
  [{ provider: [PROVIDER] }, 'no option "provider"', "providers"],
  [{ tools: { wave: TOOL } }, '"tools"', "give a list"],
  [{ tools: [TOOL, undefined] }, '"tools"', "item 1"],
  [{ tools: [{ ...TOOL, version: undefined }] }, "acme.wave", "version"],
  [{ tools: [{ ...TOOL, handler: undefined }] }, "acme.wave", "handler"],
  [{ agents: [{ kind: "ok", value: {} }] }, '"agents"', "give the value"],
  [{ guardrails: [{}] }, '"guardrails"', "item 0"],
  [{ checks: [{ id: "acme.checks.a" }] }, '"checks"', "item 0"],
  [{ policies: [{ kind: "hitl" }] }, '"policies"', "item 0"],
  [{ renderer: "inprocess" }, '"renderer"', '"in-process"'],
  [{ keyProvider: {} }, '"keyProvider"', "signingKey()"],
  [{ hitl: "all" }, '"hitl"', "enqueue()"],
  [{ authorize: true }, '"authorize"', "function"],
  [{ onEvent: "log" }, '"onEvent"', "function"],
  [{ leaseMs: "30s" }, '"leaseMs"', "milliseconds"],
  [{ maxToolResultBytes: -1 }, '"maxToolResultBytes"', "bytes"],
  [{ leaseMs: 0 }, '"leaseMs"', "milliseconds"],
];

for (const [options, ...said] of MISTAKES) {
  const [option] = Object.keys(options);
  Deno.test(
    `a runtime isn't opened with such a ${option}: it says ${
      said.join(" and ")
    }`,
    () => {
      const error = assertThrows(() => opened(options), TypeError);
      for (const part of said) assertStringIncludes(error.message, part);
    },
  );
}

Deno.test("what was given by mistake isn't shown: it may be a secret", () => {
  const error = assertThrows(() => opened({ providers: ["sk-secret"] }));
  assert(!error.message.includes("sk-secret"));
});

Deno.test("registries go in the place of lists", async () => {
  const runtime = opened({ tools: createToolRegistry([TOOL]) });
  assertEquals(runtime.bindings.toolRegistry.ids(), ["acme.wave"] as never);
  await runtime.close();
});

Deno.test("a turn or conversation without its ids or message says which is missing", async () => {
  const runtime = opened();
  const turn = { tenantId: "t-1", projectId: "p-1", conversationId: "c-1" };
  await assertRejects(
    () => runtime.invoke(turn as never),
    TypeError,
    "userMessage",
  );
  await assertRejects(
    () => runtime.invoke({ ...turn, tenantId: undefined } as never),
    TypeError,
    "tenantId",
  );
  await assertRejects(
    () => runtime.openConversation({ agentId: "acme.helper" } as never),
    TypeError,
    "tenantId",
  );
  await runtime.close();
});
