import { createScriptedProvider } from "../../../agents/providers/mod.ts";
import { createProviderRegistry } from "../../../agents/routing/mod.ts";
import { assert, assertEquals, assertRejects, okValue } from "../../assert.ts";

const CALL = {
  model: "scripted",
  messages: [{ role: "user", content: "Hello" }],
} as const;

Deno.test("a script's answers come in order, with what they leave out filled in", async () => {
  const toolCalls = [{ id: "k1", name: "pack.lookup", arguments: { q: "x" } }];
  const provider = createScriptedProvider({
    answers: [
      { toolCalls },
      (call, index) => ({
        text: `${index} ${call.messages[0]?.content}`,
        finishReason: "length",
        usage: { promptTokens: 1, completionTokens: 2 },
        costUsd: 0.5,
      }),
      {},
    ],
  });
  assertEquals(await provider.invoke(CALL), {
    message: { role: "assistant", content: "", toolCalls },
    finishReason: "tool-use",
    usage: { promptTokens: 10, completionTokens: 5 },
    costUsd: 0,
    durationMs: 0,
    provider: { id: "scripted", model: "scripted" },
  });
  const second = await provider.invoke(CALL);
  assertEquals(second.message.content, "1 Hello");
  assertEquals(second.finishReason, "length");
  assertEquals(second.usage.completionTokens, 2);
  assertEquals(second.costUsd, 0.5);
  assertEquals((await provider.invoke(CALL)).finishReason, "stop");
});

Deno.test("a call past the script's end rejects and says so", async () => {
  const provider = createScriptedProvider({ id: "p", answers: [] });
  await assertRejects(() => provider.invoke(CALL), Error, "call 1");
});

Deno.test("one function answers every call, and an answer can throw", async () => {
  const thrown = new RangeError("429");
  const provider = createScriptedProvider({
    answers: (_call, index) =>
      index === 0 ? { text: "Hi" } : { throws: thrown },
  });
  assertEquals((await provider.invoke(CALL)).message.content, "Hi");
  await assertRejects(() => provider.invoke(CALL), RangeError, "429");
});

Deno.test("calls are kept as they came, whatever becomes of their messages", async () => {
  const provider = createScriptedProvider({ answers: () => ({}) });
  const messages: { role: "user"; content: string }[] = [...CALL.messages];
  await provider.invoke({ model: "scripted", messages });
  messages.push({ role: "user", content: "more" });
  assertEquals(provider.calls, [CALL]);
});

Deno.test("the model is what tests and demonstrations need, and can be registered", () => {
  const provider = createScriptedProvider({ answers: [] });
  assertEquals(provider.metadata, {
    id: "scripted",
    region: "unspecified",
    models: [{
      name: "scripted",
      contextWindow: 128_000,
      features: ["tool-use", "parallel-tool-use", "structured-output"],
      cost: { promptUsdPer1kTokens: 0, completionUsdPer1kTokens: 0 },
    }],
  });
  okValue(createProviderRegistry().register("t-1", provider));
  const named = createScriptedProvider({
    id: "p",
    region: "eu-west-1",
    model: "m1",
    answers: [],
  });
  assertEquals(named.metadata.id, "p");
  assertEquals(named.metadata.region, "eu-west-1");
  assert(named.metadata.models[0]?.name === "m1");
});
