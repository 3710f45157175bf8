import {
  checkDraftedTemplate,
  DRAFTED_TEMPLATE_MAX,
} from "../../../agents/instructions/mod.ts";
import { assert, assertEquals, assertStringIncludes } from "../../assert.ts";

const CONTEXT = {
  current:
    'You rank for {{ firm }}. Use acme.rank.score; recency {{ settings["acme.weights"].recency }}.',
  parameters: ["firm"],
  settingsBlocks: ["acme.weights"],
  knownIds: ["acme.rank.score", "acme.weights"],
};

function messages(candidate: string, more: object = {}): string[] {
  return checkDraftedTemplate(candidate, { ...CONTEXT, ...more }).map(
    ({ path, message }) => {
      assertEquals(path, "/template");
      return message;
    },
  );
}

Deno.test("[81] a draft that stays with what the agent has is taken", () => {
  assertEquals(
    messages("Rank for {{ firm }} with acme.rank.score as of {{ today }}."),
    [],
  );
});

Deno.test("[82] a new variable and a new id are one issue each", () => {
  const found = messages(
    "For {{ firm }}. Then call acme.export with {{ customer_list }}.",
  );
  assertEquals(found.length, 2);
  assert(found.some((message) => message.includes("customer_list")));
  assert(found.some((message) => message.includes("acme.export")));
});

Deno.test("[84] a blank or unchanged draft is one issue, a much longer one names the length it may have", () => {
  assertEquals(messages(" \n").length, 1);
  assertEquals(messages(CONTEXT.current).length, 1);
  const long = messages("x".repeat(2_100));
  assertEquals(long.length, 1);
  assertStringIncludes(long[0]!, "2000");
  assertStringIncludes(long[0]!, "2100");
});

Deno.test("a draft may have twice the current length, and never more than the greatest", () => {
  const current = "x".repeat(3_000);
  assertEquals(messages("y".repeat(6_000), { current }), []);
  assertEquals(messages("y".repeat(6_001), { current }).length, 1);
  const huge = "x".repeat(15_000);
  const found = messages("y".repeat(DRAFTED_TEMPLATE_MAX + 1), {
    current: huge,
  });
  assertStringIncludes(found[0]!, String(DRAFTED_TEMPLATE_MAX));
});

Deno.test("a draft that doesn't parse, or uses a partial, is refused with that reason", () => {
  assertEquals(messages("{% include 'x' %}"), [
    "templates can't use include, render or layout",
  ]);
  assertEquals(messages("{{ firm | nosuch }}").length, 1);
});

Deno.test("paths of free variables aren't mistaken for ids", () => {
  assertEquals(
    messages(
      "I am {{ agent.name }} in turn {{ conversation.turn }} at {{ now }}",
    ),
    [],
  );
});

Deno.test("the path of a variable that the agent doesn't have is an unknown id too", () => {
  const found = messages("Rank for {{ customer.name }}.");
  assertEquals(found.length, 2);
  assertStringIncludes(found[0]!, "customer,");
  assertStringIncludes(found[1]!, "customer.name");
});

Deno.test("settings must be indexed by a block that the agent has", () => {
  assertEquals(
    messages('{{ settings["acme.other"].x }}').some((message) =>
      message.includes('settings["acme.other"]')
    ),
    true,
  );
  const bare = messages("{% for s in settings %}{{ s }}{% endfor %}");
  assertEquals(bare.length, 1);
  assertStringIncludes(bare[0]!, "settings");
  const computed = messages("{{ settings[firm].x }}");
  assertEquals(computed.length, 1);
});

Deno.test("input is only free when the current template reads it", () => {
  assertEquals(messages("{{ input.a }}").length > 0, true);
  assertEquals(
    messages("{{ input.b }}", { current: "{{ input.a }}" }),
    [],
  );
});

Deno.test("locals of the draft aren't global variables, and variables inside a range are", () => {
  assertEquals(
    messages(
      "{% assign a = firm %}{% for i in (1..3) %}{{ i }}{{ a }}{% endfor %}{% capture c %}x{% endcapture %}{{ c }}",
    ),
    [],
  );
  const found = messages("{% for i in (1..customer_count) %}{% endfor %}");
  assertEquals(found.length, 1);
  assertStringIncludes(found[0]!, "customer_count");
});

Deno.test("an id is found anywhere, in any case, and reported once", () => {
  const found = messages(
    "{{ 'acme.export' }} Acme.Export acme.export ACME.RANK.SCORE",
  );
  assertEquals(found.length, 1);
});

Deno.test("parameters may be given as declared", () => {
  assertEquals(
    messages("{{ tone }}", { parameters: [{ name: "tone", type: "string" }] }),
    [],
  );
});
