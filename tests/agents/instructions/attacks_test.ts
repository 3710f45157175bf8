import {
  createWorkerTemplateRenderer,
  TemplateRenderBudgetError,
  TemplateRenderError,
} from "../../../agents/instructions/worker_renderer.ts";
import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
} from "../../assert.ts";
import { errorOf, render, textOf, withBounds } from "./instructions_fixture.ts";
import { STUCK_TEMPLATE, stuckScope } from "./worker_fixture.ts";

/** Something a hostile tenant might send, and what must come of it. */
interface Attack {
  readonly name: string;
  readonly template: string;
  readonly scope?: Record<string, unknown>;
  readonly code: "render-failure" | "missing-parameter";
  /** What the message must say. */
  readonly says: RegExp;
  /** Whether one step of the engine takes it all: in process nothing can stop it. */
  readonly oneStep?: boolean;
}

const TIME = /time limit/;
const MEMORY = /memory limit/;
const EITHER = /(?:time|memory) limit/;
const PARTIALS = /^templates can't use include, render or layout$/;
const PARSE = /can't be parsed/;
const DOUBLE = "{% for i in (1..60) %}";

const TIME_BOMBS: Attack[] = [
  {
    name: "three nested loops",
    template:
      "{% for a in (1..1000) %}{% for b in (1..1000) %}{% for c in (1..1000) %}{% endfor %}{% endfor %}{% endfor %}",
    code: "render-failure",
    says: TIME,
  },
  {
    name: "loops in a liquid tag in a capture",
    template:
      "{% capture x %}{% liquid\nfor a in (1..9999)\nfor b in (1..9999)\nassign c = b\nendfor\nendfor\n%}{% endcapture %}",
    code: "render-failure",
    says: EITHER,
  },
  {
    name: "a table without end",
    template:
      "{% for a in (1..9999) %}{% tablerow i in (1..99) cols: 1 %}{% endtablerow %}{% endfor %}",
    code: "render-failure",
    says: EITHER,
  },
  {
    name: "expressions within expressions",
    template:
      "{% assign l = (1..400) %}{{ l | where_exp: 'a', \"l | where_exp: 'b', 'l contains b and l contains a' | size\" | size }}",
    code: "render-failure",
    says: EITHER,
  },
  {
    name: "a quadratic search",
    template: STUCK_TEMPLATE,
    scope: stuckScope(),
    code: "render-failure",
    says: TIME,
    oneStep: true,
  },
  {
    name: "a quadratic replacement",
    template: "{{ text | replace: pattern, 'x' | size }}",
    scope: stuckScope(),
    code: "render-failure",
    says: TIME,
    oneStep: true,
  },
  {
    name: "a condition that searches",
    template: "{% if text contains pattern %}x{% endif %}",
    scope: stuckScope(),
    code: "render-failure",
    says: TIME,
    oneStep: true,
  },
  {
    name: "a range past the whole numbers",
    template:
      "{% for i in (100000000000000000..100000000000000016) %}{% endfor %}",
    code: "render-failure",
    says: /range/,
  },
  {
    name: "a range past the whole numbers, from text",
    template:
      "{% assign a = '1e17' %}{% assign b = a | plus: 16 %}{% for i in (a..b) %}{% endfor %}",
    code: "render-failure",
    says: /range/,
  },
  {
    name:
      "such a range in a filter's argument, a condition, a cycle and a limit",
    template:
      "{% assign a = '1e17' %}{% assign b = a | plus: 16 %}{{ 'x' | append: (a..b) }}",
    code: "render-failure",
    says: /range/,
  },
  {
    name: "such a range in a condition",
    template:
      "{% if true and (100000000000000000..100000000000000016) contains 1 %}{% endif %}",
    code: "render-failure",
    says: /range/,
  },
  {
    name: "such a range as a cycle's group",
    template: "{% cycle (100000000000000000..100000000000000016): 'a' %}",
    code: "render-failure",
    says: /range/,
  },
  {
    name: "such a range as a branch",
    template:
      "{% case 1 %}{% when (100000000000000000..100000000000000016) %}{% endcase %}",
    code: "render-failure",
    says: /range/,
  },
  {
    name: "such a range in an expression given as text",
    template:
      "{% assign l = 'a,b' | split: ',' %}{{ l | where_exp: 'i', '(100000000000000000..100000000000000016) contains i' }}",
    code: "render-failure",
    says: /range/,
  },
  {
    name: "such a range as a property",
    template:
      "{% assign l = 'a,b' | split: ',' %}{{ l | group_by: '[(100000000000000000..100000000000000016)]' }}",
    code: "render-failure",
    says: /range/,
  },
];

const MEMORY_BOMBS: Attack[] = [
  {
    name: "a capture that doubles",
    template:
      `{% capture a %}0123456789{% endcapture %}${DOUBLE}{% capture a %}{{ a }}{{ a }}{% endcapture %}{% endfor %}`,
    code: "render-failure",
    says: MEMORY,
  },
  {
    name: "a text that doubles",
    template:
      `{% assign a = "0123456789" %}${DOUBLE}{% assign a = a | append: a %}{% endfor %}`,
    code: "render-failure",
    says: MEMORY,
  },
  {
    name: "one long text taken out of many items",
    template:
      `{% assign a = items %}{% for i in (1..8) %}{% assign a = a | concat: a %}{% endfor %}` +
      `{% assign texts = a | map: "text" %}x`,
    scope: { items: [{ text: "x".repeat(10_000) }] },
    code: "render-failure",
    says: MEMORY,
  },
  {
    name: "a list that doubles",
    template:
      `{% assign a = "a,b" | split: "," %}${DOUBLE}{% assign a = a | concat: a %}{% endfor %}`,
    code: "render-failure",
    says: MEMORY,
  },
  {
    name: "a list that holds itself, printed",
    template:
      `{% assign a = "a,b" | split: "," %}${DOUBLE}{% assign a = a | push: a %}{% endfor %}{{ a }}`,
    code: "render-failure",
    says: MEMORY,
  },
  {
    name: "a list that holds itself, joined",
    template:
      `{% assign a = "a,b" | split: "," %}${DOUBLE}{% assign a = a | unshift: a %}{{ a | join }}{% endfor %}`,
    code: "render-failure",
    says: MEMORY,
  },
  {
    name: "lists that hold themselves, compared",
    template:
      `{% assign a = "a,b" | split: "," %}{% assign b = a %}${DOUBLE}{% assign a = a | push: a %}{% assign b = b | push: b %}{% if a == b %}{% endif %}{% endfor %}`,
    code: "render-failure",
    says: MEMORY,
  },
  {
    name: "a huge range",
    template: "{% for i in (1..1000000000) %}x{% endfor %}",
    code: "render-failure",
    says: MEMORY,
  },
  {
    name: "an infinite range",
    template:
      "{% assign n = 1 | divided_by: 0 %}{% for i in (1..n) %}x{% endfor %}",
    code: "render-failure",
    says: /memory limit|range/,
  },
  {
    name: "ranges going down that would pay back",
    template:
      "{% for i in (1..100) %}{% for j in (1000000000..1) %}{% endfor %}{% for j in (1..90000) %}{% endfor %}{% endfor %}",
    code: "render-failure",
    says: EITHER,
  },
  {
    name: "a sort of a big list",
    template:
      "{% assign a = (1..300000) %}{{ a | sort | reverse | sort | reverse | sort | size }}",
    code: "render-failure",
    says: MEMORY,
  },
  {
    name: "a flood of output",
    template: "{% for i in (1..5000) %}{{ s }}{% endfor %}",
    scope: { s: "x".repeat(1_000) },
    code: "render-failure",
    says: MEMORY,
  },
  {
    name: "a flood from a table, a cycle and an echo",
    template:
      "{% for i in (1..2000) %}{% cycle s, s %}{% echo s %}{% tablerow j in (1..2) %}{{ s }}{% endtablerow %}{% endfor %}",
    scope: { s: "x".repeat(1_000) },
    code: "render-failure",
    says: MEMORY,
  },
  {
    name: "a join with a long separator",
    template: "{{ s | split: '' | join: s }}",
    scope: { s: "x".repeat(20_000) },
    code: "render-failure",
    says: MEMORY,
  },
  {
    name: "a replacement that multiplies",
    template: "{{ s | replace: 'x', s | replace: 'x', s }}",
    scope: { s: "x".repeat(5_000) },
    code: "render-failure",
    says: MEMORY,
  },
  {
    name: "encodings that multiply",
    template: "{{ s | url_encode | url_encode | escape | base64_encode }}",
    scope: { s: "ü<".repeat(80_000) },
    code: "render-failure",
    says: MEMORY,
  },
  {
    name: "a JSON text with much indentation",
    template: "{{ l | json: 10 }}",
    scope: { l: Array.from({ length: 90_000 }, () => []) },
    code: "render-failure",
    says: MEMORY,
  },
  {
    name: "a padded date",
    template: "{{ now | date: '%9999999Y' }}",
    scope: { now: "2026-01-01" },
    code: "render-failure",
    says: MEMORY,
  },
  {
    name: "a format of dates without end",
    template:
      `{% assign f = "%c%c%c%c" %}{% for i in (1..40) %}{% assign f = f | append: f %}{{ now | date: f }}{% endfor %}`,
    scope: { now: "2026-01-01" },
    code: "render-failure",
    says: EITHER,
  },
];

const REACHING = [
  "s.constructor",
  "s.constructor.constructor",
  "o.__proto__",
  "o.constructor.prototype",
  "o.toString",
  "o['__proto__']['constructor']",
  "l.constructor",
  "l.push",
  "n.toFixed",
  "Deno",
  "process.env",
  "globalThis",
  "constructor.constructor",
];

const ESCAPES: Attack[] = [
  ...REACHING.map((path): Attack => ({
    name: path,
    template: `{{ ${path} }}`,
    scope: { s: "text", o: { a: 1 }, l: [1], n: 1 },
    code: "missing-parameter",
    says: /isn't there/,
  })),
  ...[
    "{% include '/etc/passwd' %}",
    "{% render '../../deno.json' %}",
    "{% layout '/proc/self/environ' %}",
    "{% include name %}",
    "{% liquid\n include '/etc/passwd'\n%}",
    "{% liquid\n if true\n render name\n endif\n%}",
    "{%- include\n'/etc/passwd' -%}",
    "{% capture x %}{% include '/etc/passwd' %}{% endcapture %}",
  ].map((template): Attack => ({
    name: template,
    template,
    scope: { name: "/etc/passwd" },
    code: "render-failure",
    says: PARTIALS,
  })),
  {
    name: "an object printed with data for a toString",
    template: "{{ o }}",
    scope: { o: { toString: "x" } },
    code: "render-failure",
    says: /plain data/,
  },
];

const MALFORMED: Attack[] = [
  "{% if x",
  "{% if x %}",
  "{{ x",
  "{% endfor %}",
  "{% nosuch %}",
  "{{ 1 | nosuch }}",
  "{% if true %}".repeat(5_000),
  "{% for i in (1..2) %}".repeat(2_000) + "x",
  `{{ ${"a[".repeat(5_000)}0${"]".repeat(5_000)} }}`,
  `{{ ${"a[".repeat(400)}0${"]".repeat(400)} }}`,
  "{% liquid\n" + "if true\n".repeat(5_000) + "%}",
  "{% case 1 %}{% when %}{% when {% endcase %}",
].map((template) => ({
  name: template.slice(0, 40),
  template,
  scope: { x: 1, a: [0] },
  code: "render-failure",
  says: PARSE,
}));

/** Bounds under which only the time can run out, or only the memory, however busy the machine is. */
const SHORT = { renderLimitMs: 600, memoryLimit: 1_000_000_000 };
const LONG = { renderLimitMs: 60_000, memoryLimit: 1_000_000 };

const GROUPS = [
  { group: "time bomb", attacks: TIME_BOMBS, liquid: SHORT },
  { group: "memory bomb", attacks: MEMORY_BOMBS, liquid: LONG },
  { group: "escape", attacks: ESCAPES, liquid: LONG },
  { group: "malformed template", attacks: MALFORMED, liquid: LONG },
];

for (const { group, attacks, liquid } of GROUPS) {
  Deno.test(`every ${group} sent to a worker fails with its own code and reason, and the next tenant is served`, () =>
    withBounds({ liquid, renderBudget: { ms: 1_000_000 } }, async () => {
      const renderer = createWorkerTemplateRenderer({
        workers: 1,
        maxOldSpaceMb: 48,
      });
      const greet = () =>
        renderer.render({
          tenantId: "bystander",
          template: "Hi {{ a }}",
          scope: { a: 1 },
        });
      await greet();
      const before = Deno.memoryUsage();
      for (const { name, template, scope = {}, code, says } of attacks) {
        const attack = renderer.render({
          tenantId: "attacker",
          template,
          scope,
        });
        const [outcome, text] = await Promise.all([
          attack.then((rendered) => `rendered ${rendered}`, (error) => error),
          greet(),
        ]);
        assert(outcome instanceof TemplateRenderError, `${name}: ${outcome}`);
        assertEquals(outcome.code, code, name);
        assertMatch(outcome.message, says, name);
        assert(outcome.message.length < 500, name);
        assertEquals(text, "Hi 1", name);
      }
      const after = Deno.memoryUsage();
      const grown = after.heapUsed + after.external -
        before.heapUsed - before.external;
      assert(grown < 64 * 2 ** 20, `this process has grown by ${grown} bytes`);
      await renderer.close();
    }));

  Deno.test(`every ${group} in process fails the same way, those within one step of the engine aside`, () =>
    withBounds({ liquid }, () => {
      for (
        const { name, template, scope = {}, code, says, oneStep } of attacks
      ) {
        if (oneStep) continue;
        const { now, ...parameters } = scope;
        const error = errorOf(render(template, {
          parameters,
          ...(now === undefined ? {} : { clock: () => new Date(String(now)) }),
        }));
        assertEquals(error.code, code, name);
        assertMatch(error.message, says, name);
      }
    }));
}

Deno.test("[trap 17] three nested loops end by their time, and the next tenant's render is on time", () =>
  withBounds({ liquid: SHORT }, async () => {
    const renderer = createWorkerTemplateRenderer({ workers: 1 });
    const bomb = renderer.render({
      tenantId: "a",
      template: TIME_BOMBS[0]!.template,
      scope: {},
    });
    const next = renderer.render({ tenantId: "b", template: "x", scope: {} });
    const error = await assertRejects(() => bomb, TemplateRenderError);
    assertStringIncludes(error.message, "time limit");
    assertEquals(await next, "x");
    await renderer.close();
  }));

Deno.test("[trap 18] a range of a thousand million fails by its memory before it is made", () => {
  const error = errorOf(render("{% for i in (1..1000000000) %}{% endfor %}"));
  assertStringIncludes(error.message, "memory limit");
});

Deno.test("[trap 19] a join with a 20 kB separator is counted", () =>
  withBounds({ liquid: { memoryLimit: 1_000_000 } }, () => {
    const parameters = { text: "x".repeat(100), separator: "y".repeat(20_000) };
    const error = errorOf(render(
      "{{ text | split: '' | join: separator | size }}",
      { parameters },
    ));
    assertStringIncludes(error.message, "memory limit");
  }));

Deno.test("[trap 21] filters that scan 200 kB of the worst input are done within the time limit", () => {
  const inputs = [
    "<".repeat(200_000),
    "<script".repeat(28_000),
    "<!--".repeat(50_000),
    " ".repeat(200_000) + "x",
    "\r".repeat(200_000),
    "&".repeat(200_000),
    "=".repeat(200_000),
    "-".repeat(200_000),
    "a%".repeat(100_000),
  ];
  const filters = [
    "strip_html",
    "escape",
    "escape_once",
    "squish",
    "strip",
    "strip_newlines",
    "newline_to_br",
    "normalize_whitespace",
    "number_of_words: 'auto'",
    "truncatewords: 5",
    "slugify: 'latin'",
    "url_encode",
    "date: '%Y'",
  ];
  for (const filter of filters) {
    for (const text of inputs) {
      const template = `{{ text | ${filter} | size }}`;
      textOf(render(template, { parameters: { text } }));
    }
  }
});

Deno.test("fifty tenants are served while one floods the workers with renders that have to be stopped", () =>
  withBounds(
    {
      liquid: { renderLimitMs: 600 },
      renderBudget: { ms: 2_000, windowMs: 600_000 },
    },
    async () => {
      const renderer = createWorkerTemplateRenderer({ workers: 2 });
      const flood = Array.from({ length: 40 }, () =>
        renderer.render({
          tenantId: "flood",
          template: STUCK_TEMPLATE,
          scope: stuckScope(),
        }).then(
          () => "rendered",
          (error) =>
            error instanceof TemplateRenderBudgetError
              ? "refused"
              : error.message,
        ));
      const others = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          renderer.render({
            tenantId: `t${index}`,
            template: "{{ n }}",
            scope: { n: index },
          })),
      );
      assertEquals(others, others.map((_, index) => String(index)));
      const outcomes = await Promise.all(flood);
      const refused = outcomes.filter((outcome) => outcome === "refused");
      const stopped = outcomes.filter((outcome) => /time limit/.test(outcome));
      assertEquals(refused.length + stopped.length, flood.length);
      // 2 000 ms hold two renders of 700 ms, and one more on each worker may be under way as they are spent.
      assert(stopped.length >= 1 && stopped.length <= 5, `${stopped.length}`);
      await renderer.close();
    },
  ));
