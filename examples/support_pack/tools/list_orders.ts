import { defineTool } from "@kindgi-deno/runtime/define";
import {
  type Order,
  ORDER_SCHEMA,
  ORDERS,
  type OrderStatus,
} from "../data/orders.ts";

interface Question {
  readonly email?: string;
  readonly status?: OrderStatus;
  /** Always there: the schema below fills it in. */
  readonly limit: number;
}

interface Answer {
  readonly orders: readonly Order[];
  readonly matching: number;
}

export default defineTool<Question, Answer>({
  id: "support.list_orders",
  version: "1.0.0",
  description:
    "Lists orders, the newest first, by customer and status; `matching` counts those past the limit too",
  mutating: false,
  effects: [{ kind: "reads", resource: "orders" }],
  input: {
    type: "object",
    properties: {
      email: { type: "string", format: "email", description: "The customer's" },
      status: ORDER_SCHEMA.properties.status,
      limit: { type: "integer", minimum: 1, maximum: 50, default: 10 },
    },
    additionalProperties: false,
  },
  output: {
    type: "object",
    properties: {
      orders: { type: "array", items: ORDER_SCHEMA },
      matching: { type: "integer", minimum: 0 },
    },
    required: ["orders", "matching"],
    additionalProperties: false,
  },
  handler: ({ email, status, limit }, { log }) => {
    const found = ORDERS.filter((order) =>
      (email === undefined || order.customer.email === email.toLowerCase()) &&
      (status === undefined || order.status === status)
    );
    log.debug("orders listed", { matching: found.length });
    return { orders: found.slice(0, limit), matching: found.length };
  },
});
