/** Models of the AI SDK as a provider: their specifications, and what is read of their answers. */
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

Deno.test("warnings of the SDK are passed on, whatever their form", async () => {
  const model = handMade("v4", () =>
    generated({
      warnings: [
        { type: "unsupported", feature: "temperature", details: "fixed at 1" },
        { type: "compatibility", feature: "schema" },
        { type: "other", message: "odd" },
        { type: "unsupported-tool", tool: { name: "web" } },
        {},
        "text",
      ],
    }));
  const { warnings } = await providerOf(model).invoke(CALL);
  assertEquals(warnings!.map(({ code, message }) => `${code} ${message}`), [
    "model-unsupported temperature: fixed at 1",
    "model-compatibility schema",
    "model-other odd",
    "model-unsupported-tool web",
    "model-warning The model's provider warns",
  ]);
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

Deno.test("an answer without content is a failure, and no empty answer", async () => {
  for (const content of [undefined, "Hi", { type: "text", text: "Hi" }]) {
    const model = handMade("v4", () => generated({ content }));
    await assertRejects(
      () => providerOf(model).invoke(CALL),
      Error,
      "has no content",
    );
  }
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
