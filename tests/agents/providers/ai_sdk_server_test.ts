/** A model behind a server that speaks the OpenAI-compatible protocol, through the SDK's own client for it. */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import {
  createMemoryStore,
  defineAgent,
  openAgentRuntime,
  type Tool,
} from "../../../agents/mod.ts";
import {
  AiSdkCallError,
  type ModelProvider,
} from "../../../agents/providers/ai_sdk.ts";
import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
  okValue,
} from "../../assert.ts";
import { CALL, providerOf } from "./ai_sdk_models.ts";

const KEY = "sk-not-to-be-told";

interface Asked {
  readonly messages: readonly {
    readonly role: string;
    readonly content?: unknown;
    readonly tool_call_id?: string;
    readonly tool_calls?: readonly {
      readonly id: string;
      readonly function: { readonly name: string; readonly arguments: string };
    }[];
  }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

/** A server that answers by a function. */
class ModelServer implements AsyncDisposable {
  readonly asked: Asked[] = [];
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  constructor(answer: (asked: Asked, count: number) => Response) {
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      async (request) => {
        this.asked.push(await request.json());
        return answer(this.asked.at(-1)!, this.asked.length);
      },
    );
  }

  provider(request: typeof fetch = fetch): ModelProvider {
    const { port } = this.#server.addr;
    const server = createOpenAICompatible({
      name: "local",
      baseURL: `http://127.0.0.1:${port}/v1`,
      apiKey: KEY,
      fetch: request,
    });
    return providerOf(server.chatModel("some-model"));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}

function completion(message: object, finish_reason = "stop"): Response {
  return Response.json({
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1_790_000_000,
    model: "some-model-2026",
    choices: [{ index: 0, message, finish_reason }],
    usage: {
      prompt_tokens: 20,
      completion_tokens: 6,
      total_tokens: 26,
      prompt_tokens_details: { cached_tokens: 8 },
      completion_tokens_details: { reasoning_tokens: 1 },
    },
  });
}

function busy(status: number): Response {
  return Response.json({ error: { message: "slow down" } }, {
    status,
    headers: { "retry-after": "0" },
  });
}

Deno.test("a turn over the protocol: the tool is called under its id, its result goes back, tokens are counted", async () => {
  await using server = new ModelServer(({ messages, tools }) =>
    messages.at(-1)!.role === "tool"
      ? completion({ role: "assistant", content: "It is sunny." })
      : completion({
        role: "assistant",
        content: null,
        tool_calls: [{
          id: "call_1",
          type: "function",
          function: {
            name: tools![0]!.function.name,
            arguments: `{"city":"Oslo"}`,
          },
        }],
      }, "tool_calls")
  );
  const agent = okValue(defineAgent({
    id: "acme.weather",
    name: "Weather",
    version: "1.0.0",
    instructions: "Help.",
    capabilities: [{ needs: [{ feature: "tool-use" }] }],
    tools: [{ id: "acme.weather_of", version: "^1.0.0" }],
    retrieval: [],
    guardrails: [],
  }));
  const asked: unknown[] = [];
  const tool: Tool = {
    id: "acme.weather_of",
    version: "1.0.0",
    description: "The weather of a city",
    input: {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
    },
    output: {},
    handler: (input) => {
      asked.push(input);
      return Promise.resolve({ sky: "clear" });
    },
  };
  const runtime = openAgentRuntime({
    store: createMemoryStore(),
    providers: [server.provider()],
    agents: [agent],
    renderer: "in-process",
    tools: [tool],
  });
  try {
    const { id } = okValue(
      await runtime.openConversation({
        tenantId: "t-1",
        agentId: agent.id,
        projectId: "p-1",
      }),
    );
    const turn = okValue(
      await runtime.invoke({
        tenantId: "t-1",
        projectId: "p-1",
        conversationId: id,
        userMessage: "How is Oslo?",
      }),
    );
    assertEquals(turn.response.content as string, "It is sunny.");
    assertEquals(asked, [{ city: "Oslo" }]);
    assertEquals(turn.usage.promptTokens, 40);
    assertEquals(turn.usage.completionTokens, 12);
    const [first, second] = server.asked;
    assertEquals(first!.messages.at(-1)! as object, {
      role: "user",
      content: "How is Oslo?",
    });
    const [called, result] = second!.messages.slice(-2);
    assertEquals(called!.tool_calls!.map(({ function: sent }) => sent), [{
      name: "acme_weather_of",
      arguments: `{"city":"Oslo"}`,
    }]);
    assertEquals(result!.role, "tool");
    assertEquals(result!.tool_call_id, called!.tool_calls![0]!.id);
    assertStringIncludes(String(result!.content), "clear");
  } finally {
    await runtime.close();
  }
});

Deno.test("429 and then an answer is one call; 500 for ever is one failure", async () => {
  await using slow = new ModelServer((_, count) =>
    count === 1 ? busy(429) : completion({ role: "assistant", content: "Hi" })
  );
  const answer = await slow.provider().invoke(CALL);
  assertEquals([answer.message.content, answer.attempts], ["Hi", 2]);
  assertEquals(answer.servedModel, "some-model-2026");
  assertEquals(answer.usage.cacheReadTokens, 8);
  await using broken = new ModelServer(() => busy(500));
  const error = await assertRejects(
    () => broken.provider().invoke(CALL),
    AiSdkCallError,
    "HTTP 500",
  );
  assertEquals(broken.asked.length, 3);
  assert(!`${error.message}${error.stack}`.includes(KEY));
});

Deno.test("nonsense, a refusal and a server that isn't there are failures without the key", async () => {
  await using odd = new ModelServer(() =>
    new Response("<html>", { headers: { "content-type": "text/html" } })
  );
  await using refusing = new ModelServer(() =>
    Response.json({ error: { message: "no such model" } }, { status: 404 })
  );
  const closed = new ModelServer(() => busy(500));
  const gone = closed.provider();
  await closed[Symbol.asyncDispose]();
  for (const provider of [odd.provider(), refusing.provider(), gone]) {
    const error = await assertRejects(
      () => provider.invoke(CALL),
      AiSdkCallError,
    );
    const told = JSON.stringify(error) + error.message + error.stack;
    assert(!told.includes(KEY), told);
  }
  assertEquals(refusing.asked.length, 1);
});

Deno.test("an abort ends a call whose answer never ends", async () => {
  await using endless = new ModelServer(() =>
    new Response(
      new ReadableStream({
        start: (body) => body.enqueue(new TextEncoder().encode(`{"id":`)),
      }),
      { headers: { "content-type": "application/json" } },
    )
  );
  const controller = new AbortController();
  const provider = endless.provider(async (...request) => {
    const response = await fetch(...request);
    // The answer has begun: what is waited for from here on is its end.
    queueMicrotask(() => controller.abort());
    return response;
  });
  await assertRejects(
    () => provider.invoke({ ...CALL, abortSignal: controller.signal }),
    Error,
    "aborted",
  );
  assertEquals(endless.asked.length, 1);
});
