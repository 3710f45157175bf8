/** Models of the AI SDK as a provider: what they are sent, and what is read of their answers. */
import type {
  LanguageModelV2,
  LanguageModelV3,
  LanguageModelV4,
} from "@ai-sdk/provider";
import { MockLanguageModelV3, MockLanguageModelV4 } from "ai/test";
import {
  type AiSdkLanguageModel,
  aiSdkProvider,
} from "../../../agents/providers/ai_sdk.ts";
import { readModelAnswer } from "../../../agents/routing/mod.ts";
import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertThrows,
  okValue,
} from "../../assert.ts";
import {
  CALL,
  generated,
  handMade,
  INFO,
  providerOf,
} from "./ai_sdk_models.ts";

/** Compiles only if every model of the SDK is one of ours. */
const _taken: (
  model: LanguageModelV2 | LanguageModelV3 | LanguageModelV4,
) => AiSdkLanguageModel = (model) => model;

for (const Mock of [MockLanguageModelV3, MockLanguageModelV4]) {
  const model = () => new Mock({ doGenerate: generated() as never });

  Deno.test(`${Mock.name}: a call and its answer`, async () => {
    const mock = model();
    const answer = await providerOf(mock).invoke({
      ...CALL,
      temperature: 0.5,
      maxOutputTokens: 100,
    });
    const { durationMs, ...rest } = answer;
    assert(durationMs >= 0);
    assertEquals(rest, {
      message: { role: "assistant", content: "Hi" },
      finishReason: "stop",
      usage: {
        promptTokens: 10,
        completionTokens: 5,
        cacheReadTokens: 2,
        cacheWriteTokens: 1,
        reasoningTokens: 2,
      },
      rawUsage: generated().usage,
      provider: { id: "p", model: "m1" },
      attempts: 1,
    });
    const [sent] = mock.doGenerateCalls;
    assertEquals(sent as object, {
      prompt: [{ role: "user", content: [{ type: "text", text: "Hello" }] }],
      temperature: 0.5,
      maxOutputTokens: 100,
    });
  });
}

Deno.test("a model of v2 says its usage and its end in fewer words", async () => {
  const answer = await providerOf(handMade("v2", () => ({
    content: [{ type: "text", text: "Hi" }],
    finishReason: "length",
    usage: {
      inputTokens: 10,
      outputTokens: 5,
      totalTokens: 15,
      cachedInputTokens: 4,
      reasoningTokens: 3,
    },
    warnings: [{ type: "unsupported-setting", setting: "temperature" }],
    response: { id: "r-1", modelId: "made-2026" },
  }))).invoke(CALL);
  assertEquals(answer.finishReason, "length");
  assertEquals(answer.usage, {
    promptTokens: 10,
    completionTokens: 5,
    cacheReadTokens: 4,
    reasoningTokens: 3,
  });
  assertEquals(answer.warnings as object, [
    { code: "model-unsupported-setting", message: "temperature" },
  ]);
  assertEquals(answer.servedModel, "made-2026");
  assertEquals(answer.providerRequestId, "r-1");
});

Deno.test("messages, calls and results go out as the SDK has them, results of one answer together", async () => {
  const mock = new MockLanguageModelV4({ doGenerate: generated() as never });
  await providerOf(mock).invoke({
    model: "m1",
    messages: [
      { role: "system", content: "Help." },
      { role: "user", content: "Go" },
      {
        role: "assistant",
        content: "",
        toolCalls: [
          { id: "k1", name: "pack.lookup", arguments: { q: "x" } },
          { id: "k2", name: "pack.lookup", arguments: { q: "y" } },
        ],
      },
      { role: "tool", content: `{"found":"x"}`, toolCallId: "k1" },
      { role: "tool", content: "none", toolCallId: "k2" },
      { role: "assistant", content: "Done" },
    ],
    tools: [{
      name: "pack.lookup",
      description: "Looks up",
      inputSchema: { type: "object" },
    }],
  });
  const [sent] = mock.doGenerateCalls;
  const result = (id: string, value: string) => ({
    type: "tool-result",
    toolCallId: id,
    toolName: "pack_lookup",
    output: { type: "text", value },
  });
  const call = (id: string, q: string) => ({
    type: "tool-call",
    toolCallId: id,
    toolName: "pack_lookup",
    input: { q },
  });
  assertEquals(sent!.prompt as unknown[], [
    { role: "system", content: "Help." },
    { role: "user", content: [{ type: "text", text: "Go" }] },
    { role: "assistant", content: [call("k1", "x"), call("k2", "y")] },
    {
      role: "tool",
      content: [result("k1", `{"found":"x"}`), result("k2", "none")],
    },
    { role: "assistant", content: [{ type: "text", text: "Done" }] },
  ]);
  assertEquals(sent!.tools as unknown[], [{
    type: "function",
    name: "pack_lookup",
    description: "Looks up",
    inputSchema: { type: "object" },
  }]);
  assertEquals(sent!.toolChoice as object, { type: "auto" });
});

Deno.test("tools come back under their ids, whatever names the model could be shown", async () => {
  const long = `acme.${"x".repeat(100)}`;
  const ids = ["a.b", "a_b", "a-b", "a/b", "ä.b", long, `${long}y`, "plain"];
  let names: string[] = [];
  const provider = providerOf(handMade("v4", (options) => {
    const { tools } = options as { tools: { name: string }[] };
    names = tools.map(({ name }) => name);
    return generated({
      content: names.map((toolName, index) => ({
        type: "tool-call",
        toolCallId: `k${index}`,
        toolName,
        input: "{}",
      })).concat({
        type: "tool-call",
        toolCallId: "k9",
        toolName: "made_up",
        input: "{}",
      }),
      finishReason: { unified: "tool-calls", raw: "tool_calls" },
    });
  }));
  const tools = ids.map((name) => ({
    name,
    description: "",
    inputSchema: { type: "object" } as const,
  }));
  const answer = await provider.invoke({ ...CALL, tools });
  assertEquals(answer.finishReason, "tool-use");
  assertEquals(answer.message.toolCalls!.map(({ name }) => name), [
    ...ids,
    "made_up",
  ]);
  assertEquals(new Set(names).size, ids.length);
  for (const name of names) assertMatch(name, /^[A-Za-z0-9_-]{1,64}$/);
  assertEquals(names[1], "a_b", "an id that is a name keeps it");
  const first = names;
  await provider.invoke({ ...CALL, tools });
  assertEquals(names, first, "and every call has the same names");
});

Deno.test("structured output is asked for with its schema, and read where v4 puts it", async () => {
  const schema = { type: "object" } as const;
  const mock = new MockLanguageModelV4({
    doGenerate: generated({
      content: [{ type: "text", text: "Here: " }],
      structuredOutputText: `{"a":1}`,
    }) as never,
  });
  const answer = await providerOf(mock).invoke({
    ...CALL,
    structuredOutput: { name: "answer", schema },
  });
  assertEquals(answer.message.content, `{"a":1}`);
  assertEquals(mock.doGenerateCalls[0]!.responseFormat as object, {
    type: "json",
    name: "answer",
    schema,
  });
});

Deno.test("a model that takes no temperature is sent none", async () => {
  const mock = new MockLanguageModelV4({ doGenerate: generated() as never });
  const provider = providerOf(mock, { sampling: false });
  await provider.invoke({ ...CALL, temperature: 1 });
  assertEquals("temperature" in mock.doGenerateCalls[0]!, false);
});

Deno.test("what a provider says of a call comes back to it with the call", async () => {
  const metadata = { google: { thoughtSignature: "s" } };
  const mock = new MockLanguageModelV4({
    doGenerate: generated({
      content: [{
        type: "tool-call",
        toolCallId: "k1",
        toolName: "t",
        input: "{}",
        providerMetadata: metadata,
      }],
    }) as never,
  });
  const provider = providerOf(mock);
  const { message } = await provider.invoke(CALL);
  await provider.invoke({ model: "m1", messages: [message] });
  const [sent] = mock.doGenerateCalls[1]!.prompt;
  const [part] = sent!.content as unknown as { providerOptions: unknown }[];
  assertEquals(part!.providerOptions as object, metadata);
  // One that another provider wrote is left out.
  const foreign = { ...message.toolCalls![0]!, signature: "not JSON" };
  await provider.invoke({
    model: "m1",
    messages: [{ ...message, toolCalls: [foreign] }],
  });
  const [other] = mock.doGenerateCalls[2]!.prompt;
  assertEquals("providerOptions" in (other!.content[0] as object), false);
});

Deno.test("counts that contain each other are made to, and missing ones are told", async () => {
  const usage = async (given: unknown) => {
    const model = handMade("v4", () => generated({ usage: given }));
    return (await providerOf(model).invoke(CALL)).usage as object;
  };
  assertEquals(
    await usage({
      inputTokens: { total: 5, cacheRead: 20 },
      outputTokens: { total: 3, reasoning: 9 },
    }),
    {
      promptTokens: 25,
      completionTokens: 12,
      cacheReadTokens: 20,
      reasoningTokens: 9,
    },
  );
  assertEquals(
    await usage({
      inputTokens: { noCache: 4, cacheRead: 2 },
      outputTokens: { text: 1 },
    }),
    { promptTokens: 6, completionTokens: 1, cacheReadTokens: 2 },
  );
  assertEquals(await usage({ inputTokens: NaN, outputTokens: -1 }), {});
  const silent = handMade("v4", () => generated({ usage: undefined }));
  const provider = providerOf(silent);
  const read = okValue(
    readModelAnswer(await provider.invoke(CALL), {
      provider,
      model: INFO,
      durationMs: 1,
    }),
  );
  assertEquals(read.usage, { promptTokens: 0, completionTokens: 0 });
  assertEquals(read.warnings!.map(({ code }) => code), ["usage-unreported"]);
});

Deno.test("every finish reason of the SDK has one of ours", async () => {
  const reason = async (finishReason: unknown) => {
    const model = handMade("v3", () => generated({ finishReason }));
    return (await providerOf(model).invoke(CALL)).finishReason as string;
  };
  const pairs = {
    "stop": "stop",
    "length": "length",
    "content-filter": "content-filter",
    "tool-calls": "tool-use",
    "error": "error",
    "interrupted": "interrupted",
    "other": "other",
    "unknown": "other",
  };
  for (const [theirs, ours] of Object.entries(pairs)) {
    assertEquals(await reason(theirs), ours);
    assertEquals(await reason({ unified: theirs, raw: "x" }), ours);
  }
  assertEquals(await reason(undefined), "other");
});

Deno.test("parts that a turn has no use for are left out: with a warning where something was meant for somebody", async () => {
  const model = handMade("v4", () =>
    generated({
      content: [
        { type: "reasoning", text: "Hm" },
        { type: "text", text: "A" },
        { type: "file", mediaType: "image/png", data: "" },
        { type: "source", id: "s" },
        {
          type: "tool-call",
          toolCallId: "k",
          toolName: "web",
          input: "{}",
          providerExecuted: true,
        },
        { type: "text", text: "B" },
        null,
      ],
    }));
  const { message, warnings } = await providerOf(model).invoke(CALL);
  assertEquals(message, { role: "assistant", content: "AB" });
  assertEquals(
    warnings!.map(({ code, message }) => [code, message.split(": ")[1]]),
    [["content-ignored", "file"], ["content-ignored", "tool-call"]],
  );
});

Deno.test("what is no model, has no name of its own or no such name is refused in words", async () => {
  const model = handMade("v4", () => generated());
  const entry = { model, info: INFO };
  const make = (...models: unknown[]) => () =>
    aiSdkProvider({ id: "p", region: "eu", models: models as never });
  assertThrows(make(), TypeError, "has no models");
  assertThrows(make(entry, entry), TypeError, "two models named m1");
  for (const odd of ["openai/gpt", null, handMade("v1", () => null)]) {
    assertThrows(make({ ...entry, model: odd }), TypeError, "v2, v3, v4");
  }
  assertThrows(() => providerOf(model, {}, -1), TypeError, "maxRetries");
  await assertRejects(
    () => providerOf(model).invoke({ ...CALL, model: "m2" }),
    Error,
    "Provider p has no model m2: it has m1",
  );
});
