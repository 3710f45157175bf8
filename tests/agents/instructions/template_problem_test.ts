import { defineAgent } from "../../../agents/agent/mod.ts";
import { hostChecks } from "../../../base/host_checks.ts";
import { templateProblem } from "../../../agents/instructions/mod.ts";
import {
  assert,
  assertEquals,
  assertStringIncludes,
  errValue,
} from "../../assert.ts";
import { withBounds } from "./instructions_fixture.ts";

const PARTIALS = "templates can't use include, render or layout";

Deno.test("[47] a template with a known filter, and an empty one, have no problem", () => {
  assertEquals(templateProblem("Hello {{ name | upcase }}"), undefined);
  assertEquals(templateProblem(""), undefined);
});

Deno.test("[48] each partial tag is refused in exactly these words", () => {
  for (const tag of ["include", "render", "layout"]) {
    assertEquals(templateProblem(`{% ${tag} 'a' %}`), PARTIALS);
  }
});

Deno.test("a partial is found nested, in a liquid tag, and with whitespace control, but not in raw or comment", () => {
  const used = [
    "{% if true %}{% for i in (1..2) %}{% layout 'x' %}{% endfor %}{% endif %}",
    "{% liquid\n  assign a = 1\n  render 'x'\n%}",
    "{% liquid\n  if true\n  include 'x'\n  endif\n%}",
    "{%- include 'a', b: 1 -%}",
    "{% capture a %}{% render 'x' %}{% endcapture %}",
    "{% case 1 %}{% when 1 %}{% include 'x' %}{% endcase %}",
    "{% block a %}{% layout none %}{% endblock %}",
  ];
  for (const template of used) {
    assertEquals(templateProblem(template), PARTIALS, template);
  }
  const mentioned = [
    "{% raw %}{% include 'x' %}{% endraw %}",
    "{% comment %}{% render 'x' %}{% endcomment %}",
    "write include, render or layout",
    "{{ 'include' }}",
    "{% block a %}b{% endblock %}",
  ];
  for (const template of mentioned) {
    assertEquals(templateProblem(template), undefined, template);
  }
});

Deno.test("an unknown filter before a partial is met first and reported", () => {
  const problem = templateProblem("{{ a | nosuch }}{% include 'x' %}") ?? "";
  assertStringIncludes(problem, "nosuch");
});

Deno.test("[50] what doesn't parse is a problem, and never a throw", () => {
  const templates = [
    "Hi {{ firm ",
    "{% if x %}",
    "{% nosuchtag %}",
    "{{ a | nosuch }}",
    "{% for i in %}{% endfor %}",
    "{% assign = 1 %}",
    "{% if a %}{% else %}{% else %}{% endif %}",
  ];
  for (const template of templates) {
    assert((templateProblem(template) ?? "").length > 0, template);
  }
});

Deno.test("[51] a template at the length limit is taken, one character more is refused naming the limit", () =>
  withBounds({ liquid: { parseLimit: 50 } }, () => {
    assertEquals(templateProblem("x".repeat(50)), undefined);
    assertStringIncludes(templateProblem("x".repeat(51)) ?? "", "50");
  }));

Deno.test("length comes before partials, and partials before what doesn't parse", () =>
  withBounds({ liquid: { parseLimit: 30 } }, () => {
    const long = "{% include 'a' %}" + "x".repeat(30);
    assertStringIncludes(templateProblem(long) ?? "", "30");
    assertEquals(templateProblem("{% include 'a' %}{% if x %}"), PARTIALS);
  }));

Deno.test("[52] templates nested 5,000 deep are a problem, and never a throw", () => {
  const deep = [
    "{% if true %}".repeat(5_000),
    "{% if a %}".repeat(5_000) + "{% endif %}".repeat(4_000),
    `{{ ${"a[".repeat(5_000)}1${"]".repeat(5_000)} }}`,
    "{% liquid\n" + "if true\n".repeat(5_000) + "%}",
    `{{ ${"(".repeat(5_000)}1 }}`,
  ];
  for (const template of deep) {
    assertEquals(typeof templateProblem(template), "string");
  }
});

Deno.test("tags nested as deep as people write them are taken", () => {
  const depth = 90;
  assertEquals(
    templateProblem(
      "{% if true %}".repeat(depth) + "x" + "{% endif %}".repeat(depth),
    ),
    undefined,
  );
});

Deno.test("[trap 27] a malformed endif and a template that isn't text are issues of the agent's instructions", () => {
  for (const instructions of ["{% if true %}x{% endif foo %}", 42, null]) {
    const error = errValue(defineAgent(
      {
        id: "acme.citer",
        version: "1.0.0",
        name: "Citer",
        instructions,
        capabilities: [{ needs: [{ feature: "tool-use" }] }],
        tools: [],
        retrieval: [],
        guardrails: [],
      } as unknown as Parameters<typeof defineAgent>[0],
    ));
    assertEquals(error.issues.map(({ path }) => path), ["/instructions"]);
  }
  assertEquals(
    typeof templateProblem(42 as unknown as string),
    "string",
  );
});

Deno.test("loading instructions gives the define helpers the check", () => {
  assertEquals(hostChecks().templateProblem?.("{% include 'x' %}"), PARTIALS);
});

Deno.test("a problem doesn't carry the rest of the template along", () => {
  const secret = "x".repeat(50_000);
  const problem = templateProblem(`{% if a ${secret} %}`) ?? "";
  assert(problem.length > 0 && problem.length < 500);
});
