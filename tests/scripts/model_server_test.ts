/** A chat with a model behind a server that speaks the OpenAI-compatible protocol. */
import {
  assert,
  assertEquals,
  assertMatch,
  assertStringIncludes,
} from "../assert.ts";
import { AgentPack } from "./agent_pack.ts";
import { CommandProcess } from "./command_process.ts";

/** What the tests look at in a request. */
interface ChatRequest {
  readonly model: string;
  readonly messages: readonly {
    readonly role: string;
    readonly content: unknown;
  }[];
  readonly tools: readonly { readonly function: { readonly name: string } }[];
}

/** A server whose model asks for the agent's tool once, then says what came of it. */
class ModelServer implements AsyncDisposable {
  readonly requests: ChatRequest[] = [];
  readonly keys: (string | null)[] = [];
  readonly #server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      if (new URL(request.url).pathname !== "/v1/chat/completions") {
        return new Response("no such path", { status: 404 });
      }
      this.keys.push(request.headers.get("authorization"));
      const asked: ChatRequest = await request.json();
      this.requests.push(asked);
      return Response.json(completion(asked));
    },
  );

  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}/v1`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}

function completion({ model, messages, tools }: ChatRequest): object {
  const last = messages.at(-1)!;
  const message = last.role === "tool"
    ? { role: "assistant", content: "The note is kept." }
    : {
      role: "assistant",
      content: null,
      tool_calls: [{
        id: "call_1",
        type: "function",
        function: {
          name: tools[0]!.function.name,
          arguments: JSON.stringify({ note: "milk" }),
        },
      }],
    };
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1_700_000_000,
    model,
    choices: [{
      index: 0,
      message,
      finish_reason: last.role === "tool" ? "stop" : "tool_calls",
    }],
    usage: { prompt_tokens: 20, completion_tokens: 7, total_tokens: 27 },
  };
}

Deno.test("a model of a server calls the agent's tool and answers; the key comes from the environment", async () => {
  await using server = new ModelServer();
  await using pack = await AgentPack.write();
  await using chat = new CommandProcess("chat", {
    args: [
      ...["--pack-dir", pack.packDir],
      ...["--model", "small-1", "--model-url", server.url],
    ],
    env: { ...pack.env, KINDGI_MODEL_KEY: "sk-hush", NO_PROXY: "127.0.0.1" },
  });
  await chat.type("Note that we need milk");
  assertEquals(await chat.end(), 0, chat.stderr);
  assertMatch(chat.stdout, /^ {2}small-1 at 127\.0\.0\.1:\d+$/m);
  assertStringIncludes(chat.stdout, `→ acme.note {"note":"milk"}`);
  assertStringIncludes(
    chat.stdout,
    "The note is kept.\n  2 model calls, 40 + 14 tokens",
  );
  assertEquals((await pack.ledger()).map(({ note }) => note), ["milk"]);
  assertEquals(server.keys, ["Bearer sk-hush", "Bearer sk-hush"]);
  assertEquals(server.requests.map(({ model }) => model), [
    "small-1",
    "small-1",
  ]);
  assert(!chat.stdout.includes("sk-hush") && !chat.stderr.includes("sk-hush"));
});

Deno.test("a server that isn't there fails the turn, not the chat", async () => {
  await using pack = await AgentPack.write();
  await using chat = new CommandProcess("chat", {
    args: [
      ...["--pack-dir", pack.packDir],
      ...["--model", "small-1", "--model-url", "http://127.0.0.1:9/v1"],
    ],
    env: { ...pack.env, NO_PROXY: "127.0.0.1" },
  });
  await chat.type("hello");
  await chat.type("/history");
  assertEquals(await chat.end(), 1);
  assertStringIncludes(chat.stdout, "✗ model-invocation-failed");
  assertEquals(chat.stdout.split("› hello\n").length, 3);
});
