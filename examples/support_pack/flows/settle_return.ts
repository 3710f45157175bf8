import { defineFlow, type Predicate } from "@kindgi-deno/runtime/define";

/** What is paid back without anybody looking at it: parcels that came back, up to 100 of the currency. */
const SETTLES_ITSELF: Predicate = {
  op: "and",
  children: [
    {
      op: "eq",
      left: { path: "nodeOutputs.find.order.status" },
      right: { literal: "returned" },
    },
    {
      op: "lte",
      left: { path: "nodeOutputs.find.order.totalCents" },
      right: { literal: 10_000 },
    },
  ],
};

export default defineFlow({
  id: "support.settle_return",
  version: "1.0.0",
  name: "Settle a return",
  description:
    "Refunds a small order that came back; for any other it gathers what a person needs to decide",
  nodes: [
    {
      id: "find",
      kind: "tool",
      ref: "support.find_order",
      inputMapping: { orderId: { path: "runInput.orderId" } },
    },
    {
      id: "refund",
      kind: "tool",
      ref: "support.refund_order",
      inputMapping: {
        orderId: { path: "nodeOutputs.find.order.orderId" },
        amountCents: { path: "nodeOutputs.find.order.totalCents" },
        reason: { literal: "The parcel came back" },
      },
    },
    {
      id: "earlier-returns",
      kind: "tool",
      ref: "support.list_orders",
      inputMapping: {
        email: { path: "nodeOutputs.find.order.customer.email" },
        status: { literal: "returned" },
      },
    },
  ],
  edges: [
    { id: "look-up", from: "$start", to: "find" },
    {
      id: "settle",
      from: "find",
      to: "refund",
      when: SETTLES_ITSELF,
      // Safe to repeat: each attempt brings the same idempotency key.
      policy: {
        timeoutMs: 10_000,
        retry: {
          maxAttempts: 3,
          delayMs: 200,
          backoff: "exponential",
          maxDelayMs: 2_000,
        },
      },
    },
    {
      id: "ask-a-person",
      from: "find",
      to: "earlier-returns",
      when: {
        op: "and",
        children: [
          { op: "truthy", value: { path: "nodeOutputs.find.order" } },
          { op: "not", child: SETTLES_ITSELF },
        ],
      },
    },
    {
      id: "no-such-order",
      from: "find",
      to: "$end",
      when: { op: "falsy", value: { path: "nodeOutputs.find.order" } },
    },
    { id: "settled", from: "refund", to: "$end" },
    { id: "gathered", from: "earlier-returns", to: "$end" },
  ],
  output: {
    // What didn't run has no output, and its key is left out.
    mapping: {
      status: { path: "nodeOutputs.find.order.status" },
      refund: { path: "nodeOutputs.refund" },
      earlierReturns: { path: "nodeOutputs.earlier-returns.orders" },
    },
  },
});
