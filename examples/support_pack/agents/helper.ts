import { defineAgent } from "@kindgi-deno/runtime/define";

export default defineAgent({
  id: "support.helper",
  version: "1.0.0",
  name: "Support helper",
  description: "Answers customers about their orders, and refunds them",
  instructions: "You help the customers of {{ shop }} with their orders. " +
    "Look an order up before you say anything about it. " +
    "Refund no more than was paid, and say what for.",
  parameters: [{ name: "shop", type: "string", default: "the shop" }],
  capabilities: [{ needs: [{ feature: "tool-use" }] }],
  tools: [
    { id: "support.find_order", version: "^1.0.0" },
    { id: "support.list_orders", version: "^1.0.0" },
    { id: "support.refund_order", version: "^1.0.0" },
  ],
  retrieval: [],
  guardrails: ["support.no-card-numbers"],
  conversationPolicy: {
    historyLimit: 40,
    // Looking things up is free; money goes out once somebody has agreed.
    hitl: {
      tools: {
        default: "never_ask",
        overrides: {
          "support.refund_order": {
            mode: "always_ask",
            requiredRole: "senior",
          },
        },
      },
    },
  },
  budget: { maxSteps: 6, maxCostUsd: 0.5, maxWallMs: 60_000 },
});
