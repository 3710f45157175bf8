import fc from "fast-check";
import { templateProblem } from "../../../agents/instructions/mod.ts";
import { assert, assertEquals } from "../../assert.ts";
import { render, withBounds } from "./instructions_fixture.ts";

const PIECES = [
  "{{",
  "}}",
  "{%",
  "%}",
  "{{-",
  "-%}",
  " ",
  "\n",
  "|",
  ":",
  ",",
  ".",
  "..",
  "(",
  ")",
  "[",
  "]",
  "'",
  '"',
  "if",
  "endif",
  "for i in",
  "endfor",
  "assign",
  "capture a",
  "endcapture",
  "liquid",
  "raw",
  "endraw",
  "include",
  "case",
  "when",
  "cycle",
  "increment",
  "text",
  "list",
  "o.a",
  "nil",
  "1",
  "-9999999999999999999",
  "0.5",
  "==",
  "contains",
  "upcase",
  "split",
  "join",
  "where",
  "date",
  "json",
  "sort",
  "ü",
  "\u{1F600}",
  "\\",
];

const VALID = [
  "{{ text }}",
  "{{ list | sort | join: '-' }}",
  "{{ o.a | default: text }}",
  "{% if text contains 'e' %}{{ o | json }}{% endif %}",
  "{% for i in list reversed limit: 2 %}{{ forloop.index }}{{ i }}{% endfor %}",
  "{% assign text = list | concat: list %}",
  "{% capture text %}{{ text }}{{ list }}{% endcapture %}",
  "{% for i in (1..list.size) %}{% cycle 'a', 'b' %}{% endfor %}",
  "{{ list | where_exp: 'i', 'i > 1' | size | times: 3 }}",
  "{{ text | split: '' | uniq | push: list | reverse | join }}",
  "{{ now | date: '%j %U' }}",
];

const PARAMETERS = { text: "some text", list: [3, 1, 2], o: { a: null } };

Deno.test("no arrangement of Liquid's pieces makes the check or a render throw, and what the check refuses doesn't render", () =>
  withBounds({ liquid: { memoryLimit: 100_000 } }, () => {
    const arrangement = fc.array(
      fc.oneof(fc.constantFrom(...PIECES), fc.constantFrom(...VALID)),
      { maxLength: 30 },
    ).map((pieces) => pieces.join(" "));
    fc.assert(
      fc.property(arrangement, (template) => {
        const problem = templateProblem(template);
        const result = render(template, { parameters: PARAMETERS });
        if (problem !== undefined) {
          assert(!result.ok);
          assertEquals(result.error.message, problem);
        }
      }),
      { numRuns: 600 },
    );
  }));

Deno.test("a render is a function of its template and its values", () => {
  const arrangement = fc.array(fc.constantFrom(...VALID), { maxLength: 20 })
    .map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(arrangement, (template) => {
      const first = render(template, { parameters: PARAMETERS });
      const second = render(template, { parameters: PARAMETERS });
      assertEquals(
        first.ok ? first.value.rendered : first.error.message,
        second.ok ? second.value.rendered : second.error.message,
      );
      assertEquals(PARAMETERS.list, [3, 1, 2]);
    }),
    { numRuns: 200 },
  );
});
