/** What models of the AI SDK are sent: messages, tools' names, settings. */
import { MockLanguageModelV4 } from "ai/test";
import { assertEquals, assertMatch } from "../../assert.ts";
import { CALL, generated, handMade, providerOf } from "./ai_sdk_models.ts";

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

Deno.test("an id made to look like another's name takes nothing from it", async () => {
  const names = async (ids: string[]) => {
    const mock = new MockLanguageModelV4({ doGenerate: generated() as never });
    const tools = ids.map((name) => ({
      name,
      description: "",
      inputSchema: { type: "object" } as const,
    }));
    await providerOf(mock).invoke({ ...CALL, tools });
    return mock.doGenerateCalls[0]!.tools!.map(({ name }) => name);
  };
  const [taken] = await names(["a.b", "a/b"]);
  const all = await names(["a.b", "a/b", taken!]);
  assertEquals(all[2], taken);
  assertEquals(new Set(all).size, 3);
});

Deno.test("arguments that are no object go back in one", async () => {
  const mock = new MockLanguageModelV4({ doGenerate: generated() as never });
  const call = (given: unknown) => ({ id: "k", name: "t", arguments: given });
  const toolCalls = [call(`{"a":`), call([1]), call(undefined), call({ a: 1 })];
  await providerOf(mock).invoke({
    model: "m1",
    messages: [{ role: "assistant", content: "", toolCalls }],
  });
  const [sent] = mock.doGenerateCalls[0]!.prompt;
  const parts = sent!.content as unknown as { input: unknown }[];
  assertEquals(parts.map(({ input }) => input), [
    { arguments: `{"a":` },
    { arguments: [1] },
    {},
    { a: 1 },
  ]);
});
