/**
 * The instructions that are rendered: about 2 KB of prose with variables, filters, conditions, a loop and a date.
 *
 * @module
 */

import type {
  InstructionsSource,
  RenderContext,
} from "../../agents/instructions/mod.ts";

const PARAGRAPH =
  "You help the people of {{ firm }} with contracts. Answer from the sources, and say so when they don't tell. " +
  "{% if formal %}Write formally.{% else %}Write as you would speak.{% endif %} ";

const TEMPLATE = PARAGRAPH.repeat(8) +
  "Today is {{ now | date: '%A, %e %B %Y' }}. {% for topic in input.topics %}" +
  "{{ forloop.index }}. {{ topic.name | upcase }}: {{ topic.text | truncate: 60 }}\n{% endfor %}" +
  "{{ 'Ask before you send anything.' | append: ' Always.' }}".repeat(3);

/** Whose instructions they are. */
export const AGENT: InstructionsSource = {
  id: "acme.drafter",
  name: "Drafter",
  version: "1.0.0",
  instructions: TEMPLATE,
  parameters: [
    { name: "firm", type: "string" },
    { name: "formal", type: "boolean" },
  ],
};

/** What they are rendered with. */
export const CONTEXT: RenderContext = {
  parameters: { firm: "Acme LLP", formal: true },
  conversation: { id: "c-1", turn: 3 },
  input: {
    topics: Array.from({ length: 10 }, (_, index) => ({
      name: `topic ${index}`,
      text: "Liability is limited to the fees paid in the year before. "
        .repeat(2),
    })),
  },
};
