/** A tenant, an agent, a scripted provider and a store, as in the acceptance cases. */
import {
  type Agent,
  createCheckRegistry,
  createGuardrailRegistry,
  createProviderRegistry,
  createToolRegistry,
  type Guardrail,
  type ModelCallInput,
  type ModelCallResult,
  type ModelProvider,
  type Tool,
} from "../../../agents/mod.ts";
import { createRunBinding, type RunBinding } from "../../../agents/flow/mod.ts";
import type { Authorize } from "../../../agents/flow/mod.ts";
import {
  type AgentStore,
  createMemoryStore,
  type MemoryAgentStore,
} from "../../../agents/store/mod.ts";
import {
  invokeAgent,
  type InvokeAgentBindings,
  type InvokeAgentInput,
  resumeAgentTurn,
  type ResumeAgentTurnInput,
  type TurnAnswer,
  type TurnEvent,
} from "../../../agents/turn/mod.ts";
import { okValue } from "../../assert.ts";
import { lookupWith } from "../tools/tool_fixture.ts";

/** One answer of a script, or what makes it. */
export type Answer =
  | Partial<ModelCallResult>
  | ((call: ModelCallInput) => Promise<Partial<ModelCallResult>>);

/** A text as the answer. */
export function say(content: string): Partial<ModelCallResult> {
  return { message: { role: "assistant", content }, finishReason: "stop" };
}

/** Tool calls as the answer. */
export function call(
  ...calls: [id: string, name: string, args: unknown][]
): Partial<ModelCallResult> {
  return {
    message: {
      role: "assistant",
      content: "",
      toolCalls: calls.map(([id, name, args]) => ({
        id,
        name,
        arguments: args,
      })),
    },
    finishReason: "tool-use",
  };
}

/** A provider that answers from a script and keeps each call. */
export interface TestProvider extends ModelProvider {
  /** The calls, as they came. */
  readonly calls: ModelCallInput[];
  /** What is left of the script. */
  readonly script: Answer[];
}

/** Provider `p` with model `m1`. */
export function provider(
  script: Answer[],
  fields: Partial<ModelProvider["metadata"]> = {},
): TestProvider {
  const calls: ModelCallInput[] = [];
  const metadata: ModelProvider["metadata"] = {
    id: "p",
    region: "unspecified",
    models: [{
      name: "m1",
      contextWindow: 128_000,
      features: ["tool-use"],
      cost: { promptUsdPer1kTokens: 0, completionUsdPer1kTokens: 0 },
    }],
    ...fields,
  };
  return {
    metadata,
    calls,
    script,
    async invoke(input) {
      calls.push(input);
      const answer = script.shift();
      if (answer === undefined) throw new Error("the script is over");
      return {
        message: { role: "assistant", content: "" },
        finishReason: "stop",
        usage: { promptTokens: 10, completionTokens: 5 },
        costUsd: 0.01,
        durationMs: 1,
        provider: { id: metadata.id, model: metadata.models[0]!.name },
        ...typeof answer === "function" ? await answer(input) : answer,
      };
    },
  };
}

/** Agent `acme.helper`, with other fields. */
export function agentWith(fields: Partial<Agent> = {}): Agent {
  return {
    id: "acme.helper",
    version: "1.0.0",
    name: "Helper",
    instructions: "Help.",
    capabilities: [{ needs: [{ feature: "tool-use" }] }],
    tools: [],
    retrieval: [],
    guardrails: [],
    ...fields,
  } as Agent;
}

/** The agent's tools for `pack.lookup`. */
export const WITH_TOOL: Partial<Agent> = {
  tools: [{ id: "pack.lookup", version: "^1.0.0" }],
};

/** `pack.lookup`, keeping what it was called with. */
export function lookup(fields: Partial<Tool> = {}): {
  readonly tool: Tool;
  readonly inputs: unknown[];
} {
  const inputs: unknown[] = [];
  const tool = lookupWith(fields);
  return {
    inputs,
    tool: {
      ...tool,
      handler(input, context) {
        inputs.push(input);
        return tool.handler(input, context);
      },
    },
  };
}

/** What a scene is made of. */
export interface SceneOptions {
  /** The agent's fields. */
  readonly agent?: Partial<Agent>;
  /** The provider's script. */
  readonly script?: Answer[];
  /** Providers instead of one with the script. */
  readonly providers?: readonly ModelProvider[];
  /** Tools. */
  readonly tools?: readonly Tool[];
  /** Guardrails. */
  readonly guardrails?: readonly Guardrail[];
  /** Bindings over those of the store. */
  readonly bindings?: Partial<InvokeAgentBindings>;
  /** A store with something in it. */
  readonly store?: MemoryAgentStore;
  /** The id of the first run. */
  readonly runId?: string;
  /** Decides what principals may do. */
  readonly authorize?: Authorize;
  /** Whether approvals are asked for; the store's when absent. */
  readonly hitl?: false;
  /** Whether conversation `c-1` is there already. */
  readonly opened?: true;
  /** How long leases last. */
  readonly leaseMs?: number;
}

/** A scene: everything of one test. */
export interface Scene<Store extends AgentStore = MemoryAgentStore> {
  readonly agent: Agent;
  readonly store: Store;
  readonly provider: TestProvider;
  readonly bindings: InvokeAgentBindings;
  readonly runBinding: RunBinding;
  readonly events: TurnEvent[];
  /** The events' kinds. */
  kinds(): string[];
  invoke(input?: Partial<InvokeAgentInput>): Promise<TurnAnswer>;
  resume(
    runId: string,
    input?: Partial<ResumeAgentTurnInput>,
  ): Promise<TurnAnswer>;
  /** The conversation's messages as `role content`. */
  messages(): Promise<string[]>;
  /** The conversation's turns. */
  turnCount(): Promise<number>;
  /** Answers the one pending approval. */
  decide(
    decision: "approve" | "reject",
    rationale?: string,
  ): Promise<void>;
}

/** Sets a scene up, with conversation `c-1` open. */
export function scene(options: SceneOptions = {}): Promise<Scene> {
  return sceneOn(options.store ?? createMemoryStore(), options);
}

/** The same on a store of any kind. */
export async function sceneOn<Store extends AgentStore>(
  store: Store,
  options: SceneOptions,
): Promise<Scene<Store>> {
  const { runId } = options;
  const agent = agentWith(options.agent);
  const scripted = provider(options.script ?? []);
  const events: TurnEvent[] = [];
  const providers = createProviderRegistry(
    (options.providers ?? [scripted]).map((provider) => ({
      tenantId: "t-1",
      provider,
    })),
  );
  const inner = createRunBinding({
    journal: store.journal,
    ...(options.authorize === undefined
      ? {}
      : { authorize: options.authorize }),
    ...(options.leaseMs === undefined ? {} : { leaseMs: options.leaseMs }),
  });
  let fixed = runId;
  const runBinding = runId === undefined
    ? inner
    : delegating(inner, (input) => {
      const id = fixed;
      fixed = undefined;
      return inner.runGraph(id === undefined ? input : { ...input, runId: id });
    });
  const bindings: InvokeAgentBindings = {
    providerRegistry: providers.registry,
    toolRegistry: createToolRegistry(options.tools ?? []),
    memoryBinding: store.memory,
    conversationBinding: store.conversations,
    runSnapshotBinding: store.snapshots,
    runBinding,
    usage: store.usage,
    guardrails: createGuardrailRegistry(options.guardrails ?? []),
    checks: createCheckRegistry(),
    ...(options.hitl === false ? {} : { hitl: store.approvals }),
    onEvent: (event) => void events.push(event),
    ...options.bindings,
  };
  if (options.opened !== true) {
    okValue(
      await store.conversations.openConversation({
        id: "c-1",
        tenantId: "t-1",
        agentId: agent.id,
        agentVersion: agent.version,
        title: "A talk",
        scope: { tenantId: "t-1", projectId: "p-1" },
      }),
    );
  }
  return {
    agent,
    store,
    provider: scripted,
    bindings,
    runBinding,
    events,
    kinds: () => events.map(({ kind }) => kind),
    invoke: (input = {}) =>
      invokeAgent({
        tenantId: "t-1",
        projectId: "p-1",
        agent,
        conversationId: "c-1",
        userMessage: "Hello",
        ...input,
      }, bindings),
    resume: (runId, input = {}) =>
      resumeAgentTurn({ tenantId: "t-1", runId, agent, ...input }, bindings),
    async messages() {
      const read = okValue(
        await store.conversations.readMessages({
          tenantId: "t-1",
          conversationId: "c-1",
        }),
      );
      return read.map(({ role, content }) =>
        `${role} ${
          typeof content === "string" ? content : JSON.stringify(content)
        }`
      );
    },
    async turnCount() {
      return okValue(
        await store.conversations.getConversation("t-1", "c-1"),
      ).turnCount;
    },
    async decide(decision, rationale) {
      const [approval] = okValue(
        await store.approvals.list({ tenantId: "t-1", status: "pending" }),
      );
      okValue(
        await store.approvals.decide({
          tenantId: "t-1",
          approvalId: approval!.id,
          decision,
          decidedBy: { id: "rev-1", role: "admin" },
          ...(rationale === undefined ? {} : { rationale }),
        }),
      );
    },
  };
}

/** A run binding whose starts go another way. */
export function delegating(
  inner: RunBinding,
  runGraph: RunBinding["runGraph"],
): RunBinding {
  return new Proxy(inner, {
    get: (target, name) => {
      if (name === "runGraph") return runGraph;
      const value = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** The error of an answer; fails when it is none. */
export function errorOf(
  answer: TurnAnswer,
): Extract<TurnAnswer, { kind: "err" }>["error"] & Record<string, unknown> {
  if (answer.kind === "ok") {
    throw new Error(`expected err, got ${Deno.inspect(answer.value)}`);
  }
  return answer.error as never;
}
