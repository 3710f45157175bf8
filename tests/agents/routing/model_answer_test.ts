import fc from "fast-check";
import {
  type ModelAnswer,
  type ModelCost,
  type ModelUsage,
  priceOf,
  readModelAnswer,
  uniqueToolCallIds,
} from "../../../agents/routing/mod.ts";
import { createScriptedProvider } from "../../../agents/providers/mod.ts";
import type { Result } from "../../../base/result.ts";
import {
  assert,
  assertEquals,
  assertMatch,
  errValue,
  okValue,
} from "../../assert.ts";

const COST: ModelCost = {
  promptUsdPer1kTokens: 1,
  completionUsdPer1kTokens: 2,
};

/** Reads an answer that says Hi and has these fields. */
function read(
  fields: Record<string, unknown>,
  taken: readonly string[] = [],
): Result<ModelAnswer, string> {
  const provider = createScriptedProvider({
    id: "p",
    model: "m1",
    answers: [],
  });
  const [model] = provider.metadata.models;
  assert(model !== undefined);
  return readModelAnswer({
    message: { role: "assistant", content: "Hi" },
    finishReason: "stop",
    usage: { promptTokens: 1_000, completionTokens: 500 },
    durationMs: 1,
    provider: { id: "p", model: "m1" },
    ...fields,
  }, {
    provider,
    model: { ...model, cost: COST },
    durationMs: 7,
    ids: { step: 2, taken: new Set(taken) },
  });
}

const calling = (...toolCalls: unknown[]) => ({
  message: { role: "assistant", content: "", toolCalls },
  finishReason: "tool-use",
});

/** The calls of an answer that calls tools. */
function callsOf(toolCalls: unknown[], taken: readonly string[] = []) {
  return okValue(read(calling(...toolCalls), taken)).message.toolCalls ?? [];
}

Deno.test("a complete answer is read as it is", () => {
  assertEquals(okValue(read({ costUsd: 0.01, servedModel: "m1-2026" })), {
    message: { role: "assistant", content: "Hi" },
    finishReason: "stop",
    usage: { promptTokens: 1_000, completionTokens: 500 },
    costUsd: 0.01,
    durationMs: 1,
    provider: { id: "p", model: "m1" },
    servedModel: "m1-2026",
  });
});

Deno.test("a field that breaks the contract is named", () => {
  const tokens = { promptTokens: 1, completionTokens: 1 };
  for (
    const [fields, named] of [
      [{ message: undefined }, /^message is undefined/],
      [{ message: "Hi" }, /^message is "Hi"/],
      [{ message: { content: 1 } }, /^message\.content/],
      [calling({ id: "k1" }), /^message\.toolCalls\[0\]\.name/],
      [{ message: { content: "", toolCalls: {} } }, /^message\.toolCalls/],
      [{ usage: { ...tokens, promptTokens: 1.5 } }, /^usage\.promptTokens/],
      [
        { usage: { ...tokens, completionTokens: -1 } },
        /^usage\.completionTokens/,
      ],
      [
        { usage: { ...tokens, reasoningTokens: NaN } },
        /^usage\.reasoningTokens/,
      ],
      [{ usage: 3 }, /^usage is 3/],
      [{ costUsd: -0.01 }, /^costUsd/],
      [{ costUsd: Infinity }, /^costUsd/],
      [{ costUsd: "0.1" }, /^costUsd/],
      [{ finishReason: "error" }, /finishReason "error"/],
      [{ finishReason: "interrupted" }, /finishReason "interrupted"/],
      [{ finishReason: "toString" }, /^finishReason/],
    ] as const
  ) assertMatch(errValue(read(fields)), named);
  for (const odd of [undefined, null, "Hi", []]) {
    const provider = createScriptedProvider({ answers: [] });
    const [model] = provider.metadata.models;
    assert(model !== undefined);
    errValue(readModelAnswer(odd, { provider, model, durationMs: 0 }));
  }
});

Deno.test("[trap 61] parts of the tokens that exceed their total are refused", () => {
  const tokens = { promptTokens: 10, completionTokens: 5 };
  okValue(read({
    usage: {
      ...tokens,
      cacheReadTokens: 6,
      cacheWriteTokens: 4,
      reasoningTokens: 5,
    },
  }));
  assertMatch(
    errValue(
      read({ usage: { ...tokens, cacheReadTokens: 6, cacheWriteTokens: 5 } }),
    ),
    /^usage\.promptTokens is 10, less than the 11 cached/,
  );
  assertMatch(
    errValue(read({ usage: { ...tokens, reasoningTokens: 6 } })),
    /^usage\.completionTokens is 5/,
  );
});

Deno.test("an other reason counts as stop, and the rest stay", () => {
  const reasonOf = (finishReason: string) =>
    okValue(read({ finishReason })).finishReason;
  assertEquals(reasonOf("other"), "stop");
  for (const reason of ["stop", "tool-use", "length", "content-filter"]) {
    assertEquals<string>(reasonOf(reason), reason);
  }
});

Deno.test("a cost that is left out is priced, and counts that are left out are told", () => {
  assertEquals(okValue(read({})).costUsd, 2);
  assertEquals(okValue(read({ costUsd: 0 })).costUsd, 0);
  for (const usage of [undefined, null, {}, { promptTokens: 3 }]) {
    const answer = okValue(
      read({ usage, warnings: [{ code: "x", message: "" }] }),
    );
    assertEquals(answer.usage.completionTokens, 0);
    assertEquals(answer.warnings?.map(({ code }) => code), [
      "x",
      "usage-unreported",
    ]);
  }
  assert(!("warnings" in okValue(read({}))));
});

Deno.test("who answered and how long it took is known where the provider doesn't say", () => {
  const answer = okValue(read({ provider: undefined, durationMs: undefined }));
  assertEquals(answer.provider, { id: "p", model: "m1" });
  assertEquals(answer.durationMs, 7);
});

Deno.test("[trap 57] arguments in JSON text are read, and broken ones stay a bounded text", () => {
  const argumentsOf = (given: unknown) =>
    callsOf([{ id: "k", name: "t", arguments: given }])[0]?.arguments;
  assertEquals(argumentsOf('{"q":"x"}'), { q: "x" });
  assertEquals(argumentsOf(""), {});
  assertEquals(argumentsOf(undefined), {});
  assertEquals(argumentsOf("null"), null);
  assertEquals(argumentsOf("[]"), []);
  assertEquals(argumentsOf('{"a":'), '{"a":');
  assertEquals(argumentsOf({ q: "a\0" }), { q: "a\uFFFD" });
  assertEquals(argumentsOf({ q: 1n }), "[not JSON]");
  const long = argumentsOf(`{"a":"${"x".repeat(10_000)}`);
  assert(typeof long === "string" && long.length <= 4_096);
});

Deno.test("a call keeps what else its provider says of it, and text is mended", () => {
  const [call] = callsOf([
    { id: "k", name: "t\0", arguments: {}, signature: "abc", run: () => 1 },
  ]);
  assertEquals(call, {
    id: "k",
    name: "t\uFFFD",
    arguments: {},
    signature: "abc",
  });
  const { message } = okValue(read({ message: { content: "a\ud800" } }));
  assertEquals(message, { role: "assistant", content: "a\uFFFD" });
  assertEquals(
    okValue(read({ message: { content: null } })).message.content,
    "",
  );
});

Deno.test("ids that are empty, repeated or taken are replaced, and only they", () => {
  const ids = callsOf(
    ["k1", "", "k1", "old", undefined, "call-2-3"].map((id) => ({
      id,
      name: "t",
      arguments: {},
    })),
    ["old"],
  ).map(({ id }) => id);
  assertEquals(ids, [
    "k1",
    "call-2-2",
    "call-2-4",
    "call-2-5",
    "call-2-6",
    "call-2-3",
  ]);
});

Deno.test("ids that a store would keep as one are told apart", () => {
  const ids = callsOf(["\ud800", "\udfff", "a\0"].map((id) => ({
    id,
    name: "t",
    arguments: {},
  }))).map(({ id }) => id);
  assertEquals(ids, ["\uFFFD", "call-2-2", "a\uFFFD"]);
});

Deno.test("of a provider's warnings those are kept that say something, as code and message alone", () => {
  const cycle: Record<string, unknown> = { code: "c", message: "m\0" };
  cycle.self = cycle;
  const { warnings } = okValue(
    read({ warnings: [null, 5, { code: 1, message: "m" }, cycle, { n: 1n }] }),
  );
  assertEquals(warnings, [{ code: "c", message: "m\uFFFD" }]);
  assert(!("warnings" in okValue(read({ warnings: [null] }))));
});

Deno.test("[trap 48] replaced ids are unique in the run, and an id that was fine stays", () => {
  const id = fc.oneof(
    fc.constantFrom("", "a", "b", "call-3-1", "call-3-2", "call-3-3"),
    fc.constant(undefined),
    fc.integer(),
  );
  const taken = fc.uniqueArray(fc.constantFrom("a", "call-3-1", "call-3-2"));
  fc.assert(
    fc.property(fc.array(id, { maxLength: 8 }), taken, (given, taken) => {
      const scope = { step: 3, taken: new Set<string>(taken) };
      const ids = uniqueToolCallIds(given, scope);
      assertEquals(ids.length, given.length);
      assertEquals(new Set(ids).size, ids.length);
      assert(ids.every((id) => id !== "" && !scope.taken.has(id)));
      for (const [index, id] of given.entries()) {
        const fine = typeof id === "string" && id !== "" &&
          !scope.taken.has(id) && given.indexOf(id) === index;
        if (fine) assertEquals(ids[index], id);
      }
      assertEquals(uniqueToolCallIds(given, scope), ids);
    }),
  );
});

const usages: fc.Arbitrary<Required<ModelUsage>> = fc
  .tuple(
    fc.nat(9_999),
    fc.nat(9_999),
    fc.nat(9_999),
    fc.nat(9_999),
    fc.nat(9_999),
  )
  .map(([plain, read, write, written, reasoning]) => ({
    promptTokens: plain + read + write,
    completionTokens: written + reasoning,
    cacheReadTokens: read,
    cacheWriteTokens: write,
    reasoningTokens: reasoning,
  }));

/** Prices in whole dollars, so that sums are exact. */
const prices = fc.record({
  promptUsdPer1kTokens: fc.nat(9),
  completionUsdPer1kTokens: fc.nat(9),
  cacheReadUsdPer1kTokens: fc.nat(9),
  cacheWriteUsdPer1kTokens: fc.nat(9),
  reasoningUsdPer1kTokens: fc.nat(9),
});

Deno.test("each token is paid once, at its own price", () => {
  fc.assert(
    fc.property(usages, prices, (usage, cost) => {
      const plain = usage.promptTokens - usage.cacheReadTokens -
        usage.cacheWriteTokens;
      const written = usage.completionTokens - usage.reasoningTokens;
      const expected = plain * cost.promptUsdPer1kTokens +
        usage.cacheReadTokens * cost.cacheReadUsdPer1kTokens +
        usage.cacheWriteTokens * cost.cacheWriteUsdPer1kTokens +
        written * cost.completionUsdPer1kTokens +
        usage.reasoningTokens * cost.reasoningUsdPer1kTokens;
      assertEquals(priceOf(usage, cost), expected / 1_000);
    }),
  );
});

Deno.test("without prices of their own, parts change no price", () => {
  fc.assert(
    fc.property(usages, fc.nat(9), fc.nat(9), (usage, prompt, completion) => {
      const cost = {
        promptUsdPer1kTokens: prompt,
        completionUsdPer1kTokens: completion,
      };
      const { promptTokens, completionTokens } = usage;
      assertEquals(
        priceOf(usage, cost),
        priceOf({ promptTokens, completionTokens }, cost),
      );
    }),
  );
});
