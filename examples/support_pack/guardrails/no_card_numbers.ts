import { defineCheck, defineGuardrail } from "@kindgi-deno/runtime/define";

/** Thirteen to nineteen digits, alone or with single spaces or hyphens between. */
const CANDIDATE = /\d(?:[ -]?\d){12,18}/g;

export const check = defineCheck<{ allowed: readonly string[] }>({
  id: "support.checks.no-card-numbers",
  kind: "zero-llm",
  description: "The answer shows no payment card's number",
  configSchema: {
    type: "object",
    properties: {
      allowed: {
        type: "array",
        items: { type: "string", pattern: "^[0-9]{13,19}$" },
        default: [],
        description: "Numbers that may be shown, such as a gateway's test card",
      },
    },
    additionalProperties: false,
  },
  evaluate: ({ allowed }, trace) => {
    const shown = (trace.output?.match(CANDIDATE) ?? [])
      .map((text) => text.replaceAll(/[ -]/g, ""))
      .filter((digits) => isCardNumber(digits) && !allowed.includes(digits));
    if (shown.length === 0) return { passed: true };
    return {
      passed: false,
      // The verdict is stored, so it doesn't repeat the number.
      reason: "The answer shows a payment card's number",
      attributes: { cards: shown.map((digits) => `…${digits.slice(-4)}`) },
    };
  },
});

/** Whether the last digit fits the others, by Luhn's formula, as in every card number. */
function isCardNumber(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, place) => {
    const weighed = Number(digit) * (place % 2 === 0 ? 1 : 2);
    return total + (weighed > 9 ? weighed - 9 : weighed);
  }, 0);
  return sum % 10 === 0;
}

export default defineGuardrail({
  id: "support.no-card-numbers",
  kind: "zero-llm",
  name: "No card numbers",
  severity: "critical",
  check: check.id,
  config: { allowed: ["4242424242424242"] },
  configSchema: check.configJsonSchema,
  action: { "on-violation": "halt" },
}, [check]);
