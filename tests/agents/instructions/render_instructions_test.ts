import type { PromptParameter } from "../../../agents/agent/mod.ts";
import {
  AUTO_INJECTED_VARS,
  type RenderContext,
  renderInstructions,
} from "../../../agents/instructions/mod.ts";
import {
  assert,
  assertEquals,
  assertNotEquals,
  assertStringIncludes,
} from "../../assert.ts";
import {
  agentOf,
  CLOCK,
  errorOf,
  render,
  textOf,
  withBounds,
} from "./instructions_fixture.ts";

const FIRM: PromptParameter = { name: "firm", type: "string" };

/** Renders a template of an agent that declares these parameters. */
function renderWith(
  template: string,
  declared: readonly PromptParameter[],
  parameters: Record<string, unknown>,
  more: Partial<RenderContext> = {},
) {
  return renderInstructions(agentOf(template, declared), {
    parameters,
    clock: CLOCK,
    ...more,
  });
}

Deno.test("the reserved variables are six, in this order", () => {
  assertEquals([...AUTO_INJECTED_VARS], [
    "today",
    "now",
    "agent",
    "conversation",
    "input",
    "settings",
  ]);
});

Deno.test("[53] the agent and the time are there without being declared", () => {
  assertEquals(
    textOf(render(
      "You are {{ agent.name }} {{ agent.id }} {{ agent.version }} on {{ today }} at {{ now }}.",
    )),
    "You are Citer acme.citer 1.0.0 on 2026-09-17 at 2026-09-17T15:30:00.000Z.",
  );
});

Deno.test("[54] today is the day in UTC", () => {
  const clock = () => new Date("2026-01-01T00:30:00+02:00");
  assertEquals(textOf(render("{{ today }}", { clock })), "2025-12-31");
});

Deno.test("the clock is read once a render", () => {
  let reads = 0;
  const clock = () => {
    reads++;
    return CLOCK();
  };
  render("{{ now }}{{ today }}", { clock });
  assertEquals(reads, 1);
});

Deno.test("[55] a parameter is rendered, and the context holds all that the template saw", () => {
  const result = renderWith("For {{ firm | upcase }}", [FIRM], {
    firm: "Acme",
  });
  assertEquals(textOf(result), "For ACME");
  assert(result.ok);
  assertEquals(result.value.context.firm, "Acme");
  assertEquals(result.value.context.today, "2026-09-17");
});

Deno.test("[56] a missing required parameter is named", () => {
  const error = errorOf(renderWith("For {{ firm | upcase }}", [FIRM], {}));
  assertEquals(error.code, "missing-parameter");
  assert(error.code === "missing-parameter");
  assertEquals(error.parameterName, "firm");
});

Deno.test("[57] two missing parameters are both in the message, and neither is the name", () => {
  const error = errorOf(renderWith(
    "x",
    [FIRM, { name: "tone", type: "string" }],
    {},
  ));
  assertEquals(error.code, "missing-parameter");
  assertStringIncludes(error.message, "firm");
  assertStringIncludes(error.message, "tone");
  assertEquals(Object.hasOwn(error, "parameterName"), false);
});

Deno.test("[58] a default is used until the caller gives a value", () => {
  const tone: PromptParameter = {
    name: "tone",
    type: "string",
    required: false,
    default: "formal",
  };
  assertEquals(textOf(renderWith("{{ tone }}", [tone], {})), "formal");
  assertEquals(
    textOf(renderWith("{{ tone }}", [tone], { tone: "plain" })),
    "plain",
  );
  assertEquals(
    textOf(renderWith("{{ tone }}", [tone], { tone: undefined })),
    "formal",
  );
});

Deno.test("[59] a required parameter with a default isn't missing", () => {
  const firm: PromptParameter = { ...FIRM, required: true, default: "X" };
  assertEquals(textOf(renderWith("{{ firm }}", [firm], {})), "X");
});

Deno.test("an optional parameter without a default can be tested for and defaulted in the template", () => {
  const tone: PromptParameter = {
    name: "tone",
    type: "string",
    required: false,
  };
  const template =
    "{% if tone %}{{ tone }}{% else %}none{% endif %}/{{ tone | default: 'd' }}/{{ tone }}";
  assertEquals(textOf(renderWith(template, [tone], {})), "none/d/");
  assertEquals(textOf(renderWith(template, [tone], { tone: "a" })), "a/a/a");
});

Deno.test("[61] an unresolved variable is missing, under its name", () => {
  const error = errorOf(render("Hello {{ mystery }}"));
  assert(error.code === "missing-parameter");
  assertEquals(error.parameterName, "mystery");
  assert(error.message.endsWith("mystery"));
});

Deno.test("the strict mode also covers conditions, loops, defaults and assignments", () => {
  for (
    const template of [
      "{% if x %}y{% endif %}",
      "{% unless x %}y{% endunless %}",
      "{{ x | default: 'd' }}",
      "{% assign y = x %}",
      "{% for i in x %}{% endfor %}",
    ]
  ) {
    const error = errorOf(render(template));
    assert(error.code === "missing-parameter", template);
    assertEquals(error.parameterName, "x");
  }
});

Deno.test("[63] settings are read by block id", () => {
  const settings = { "acme.w": { recency: 0.7 } };
  assertEquals(
    textOf(render('{{ settings["acme.w"].recency }}', { settings })),
    "0.7",
  );
});

Deno.test("a missing name with dots and hyphens is reported whole", () => {
  const error = errorOf(
    render('{{ settings["acme.reply-style"].x }}', { settings: {} }),
  );
  assert(error.code === "missing-parameter");
  assertEquals(error.parameterName, "settings.acme.reply-style");
});

Deno.test("[64] the turn's input is there when there is one", () => {
  const template = "{{ input.a.b }}";
  assertEquals(textOf(render(template, { input: { a: { b: "q" } } })), "q");
  assertEquals(errorOf(render(template)).code, "missing-parameter");
});

Deno.test("[65] the conversation is there when there is one", () => {
  const template = "Turn {{ conversation.turn }} of {{ conversation.id }}";
  const conversation = { id: "c-42", turn: 3 };
  assertEquals(textOf(render(template, { conversation })), "Turn 3 of c-42");
  assertEquals(errorOf(render(template)).code, "missing-parameter");
});

Deno.test("a caller can't set reserved names, whether the turn has them or not", () => {
  const parameters = {
    today: "forged",
    now: "forged",
    agent: { name: "forged" },
    conversation: { id: "forged" },
    input: "forged",
    settings: { a: "forged" },
  };
  assertEquals(
    textOf(render("{{ today }} {{ agent.name }}", { parameters })),
    "2026-09-17 Citer",
  );
  for (const name of ["conversation.id", "input", "settings.a"]) {
    assertEquals(
      errorOf(render(`{{ ${name} }}`, { parameters })).code,
      "missing-parameter",
    );
  }
});

Deno.test("[67] a prototype's members are out of reach", () => {
  for (
    const path of [
      "firm.constructor.name",
      "firm.__proto__",
      "firm.toString",
      "o.constructor",
      "o.__proto__.constructor",
      "o.hasOwnProperty",
      "constructor",
      "__proto__",
      "hasOwnProperty",
      'o["constructor"]["constructor"]',
      "list.map",
      "list.constructor",
    ]
  ) {
    const parameters = { firm: "Acme", o: { a: 1 }, list: [1] };
    assertEquals(
      errorOf(render(`{{ ${path} }}`, { parameters })).code,
      "missing-parameter",
      path,
    );
  }
});

Deno.test("[68] instructions in a block that wasn't loaded name the block and its range", () => {
  const agent = agentOf({ prompt: "acme.intake", version: "^1.0.0" });
  const error = errorOf(renderInstructions(agent, { parameters: {} }));
  assert(error.code === "render-failure");
  assertStringIncludes(error.message, "acme.intake");
  assertStringIncludes(error.message, "^1.0.0");
  assertEquals(error.cause, null);
});

Deno.test("[69] a loaded prompt block brings its template and its parameters", () => {
  const agent = agentOf({ prompt: "acme.intake", version: "^1.0.0" });
  const prompt = { template: "v1 for {{ firm }}", parameters: [FIRM] };
  assertEquals(
    textOf(renderInstructions(agent, { parameters: { firm: "A" } }, prompt)),
    "v1 for A",
  );
  assertEquals(
    errorOf(renderInstructions(agent, { parameters: {} }, prompt)).code,
    "missing-parameter",
  );
});

Deno.test("[70] a parameter's type is not enforced", () => {
  const declared: PromptParameter[] = [
    { name: "n", type: "number" },
    { name: "d", type: "date" },
  ];
  assertEquals(
    textOf(renderWith("{{ n }} {{ d }}", declared, {
      n: "abc",
      d: "not-a-date",
    })),
    "abc not-a-date",
  );
});

const SLOW = "{% for i in (1..5000000) %}a{% endfor %}";
const BIG = "{% for i in (1..100000) %}a{% endfor %}";

Deno.test("[71] a render past its time says so", () =>
  withBounds({ liquid: { renderLimitMs: 20, memoryLimit: 1e9 } }, () => {
    const error = errorOf(render(SLOW));
    assertEquals(error.code, "render-failure");
    assertStringIncludes(error.message, "time limit");
    assertStringIncludes(error.message, "20");
  }));

Deno.test("a render whose last step took too long has failed, though it came to its end", () =>
  withBounds({ liquid: { renderLimitMs: 30 } }, () => {
    const text = ("b" + "a".repeat(8_000)).repeat(45);
    const pattern = "b" + "a".repeat(12_000);
    const error = errorOf(render(
      "{{ text contains pattern }}",
      { parameters: { text, pattern } },
    ));
    assertStringIncludes(error.message, "time limit");
  }));

Deno.test("[72] a render past its memory says so", () =>
  withBounds({ liquid: { memoryLimit: 1_000 } }, () => {
    const error = errorOf(render(BIG));
    assertEquals(error.code, "render-failure");
    assertStringIncludes(error.message, "memory limit");
    assertStringIncludes(error.message, "1000");
  }));

Deno.test("[74] a template longer than the limit that holds now says so", async () => {
  const agent = agentOf("x".repeat(60));
  await withBounds({ liquid: { parseLimit: 50 } }, () => {
    const error = errorOf(renderInstructions(agent, { parameters: {} }));
    assertEquals(error.code, "render-failure");
    assertStringIncludes(error.message, "length limit");
    assertStringIncludes(error.message, "50");
  });
});

Deno.test("[75] the three limits have three messages", () =>
  withBounds(
    { liquid: { parseLimit: 60, renderLimitMs: 20, memoryLimit: 1e9 } },
    async () => {
      const time = errorOf(render(SLOW)).message;
      const length = errorOf(render("x".repeat(61))).message;
      await withBounds({ liquid: { memoryLimit: 1_000 } }, () => {
        const memory = errorOf(render(BIG)).message;
        assertNotEquals(time, length);
        assertNotEquals(time, memory);
        assertNotEquals(length, memory);
      });
    },
  ));

Deno.test("a template that doesn't parse fails as it renders, with what the check says and its cause", () => {
  const error = errorOf(render("{% if x %}"));
  assert(error.code === "render-failure");
  assertStringIncludes(error.message, "not closed");
  assert(error.cause instanceof Error);
  assertStringIncludes(
    errorOf(render("{% include 'x' %}")).message,
    "templates can't use include, render or layout",
  );
});

Deno.test("[trap 23] text after a loop that breaks is rendered", () => {
  assertEquals(
    textOf(render(
      "{% for i in (1..3) %}{{ i }}{% break %}{% endfor %}-{% for i in (1..3) %}{% continue %}x{% endfor %}after",
    )),
    "1-after",
  );
});

Deno.test("[trap 24] a parameter named in Japanese renders", () => {
  assertEquals(
    textOf(renderWith(
      "{{ 会社名 }}",
      [{ name: "会社名", type: "string" }],
      { 会社名: "アクメ" },
    )),
    "アクメ",
  );
});

Deno.test("[trap 26] a null parameter through date is empty, a missing one is missing", () => {
  const due: PromptParameter = { name: "due", type: "date" };
  const template = "[{{ due | date: '%Y' }}]";
  assertEquals(
    textOf(renderWith(template, [{ ...due, required: false }], {})),
    "[]",
  );
  assertEquals(textOf(renderWith(template, [due], { due: null })), "[]");
  assertEquals(
    errorOf(renderWith(template, [due], {})).code,
    "missing-parameter",
  );
});

Deno.test("values print as Liquid prints them", () => {
  const parameters = { n: 3.5, b: false, list: [1, 2], o: { a: 1 }, nil: null };
  assertEquals(
    textOf(render("{{ n }} {{ b }} {{ list }} {{ o }} [{{ nil }}] {{ 3.50 }}", {
      parameters,
    })),
    "3.5 false 12 [object Object] [] 3.5",
  );
});

Deno.test("increment doesn't reach the caller's values", () => {
  const parameters = { n: 5 };
  assertEquals(
    textOf(render("{% increment n %}{{ n }}", { parameters })),
    "56",
  );
  assertEquals(parameters.n, 5);
});

Deno.test("a template renders the same every time, its parse result being kept", () => {
  const template =
    "{% cycle 'a', 'b' %}{% increment i %}{% assign x = 'y' %}{{ x }}";
  const first = textOf(render(template));
  assertEquals(first, "a0y");
  assertEquals(textOf(render(template)), first);
});
