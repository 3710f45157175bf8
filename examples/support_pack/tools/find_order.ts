import { defineTool } from "@kindgi-deno/runtime/define";
import {
  findOrder,
  type Order,
  ORDER_ID,
  ORDER_SCHEMA,
} from "../data/orders.ts";

export default defineTool<{ orderId: string }, { order: Order | null }>({
  id: "support.find_order",
  version: "1.0.0",
  description: "Finds an order by its id; answers null when there is none",
  mutating: false,
  effects: [{ kind: "reads", resource: "orders" }],
  input: {
    type: "object",
    properties: { orderId: ORDER_ID },
    required: ["orderId"],
    additionalProperties: false,
  },
  output: {
    type: "object",
    properties: { order: { anyOf: [ORDER_SCHEMA, { type: "null" }] } },
    required: ["order"],
    additionalProperties: false,
  },
  handler: ({ orderId }) => ({ order: findOrder(orderId) ?? null }),
});
