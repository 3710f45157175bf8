import { randomUUID } from "node:crypto";
import { defineTool } from "@kindgi-deno/runtime/define";
import { type Refund, withLedger } from "../data/ledger.ts";
import { findOrder, ORDER_ID } from "../data/orders.ts";

interface Request {
  readonly orderId: string;
  readonly amountCents: number;
  readonly reason: string;
}

export default defineTool<Request, Refund>({
  id: "support.refund_order",
  version: "1.0.0",
  description: "Refunds an order, whole or in part, up to what was paid",
  mutating: true,
  effects: [{ kind: "writes", resource: "refunds" }],
  input: {
    type: "object",
    properties: {
      orderId: ORDER_ID,
      amountCents: { type: "integer", minimum: 1 },
      reason: { type: "string", minLength: 3, maxLength: 500 },
    },
    required: ["orderId", "amountCents", "reason"],
    additionalProperties: false,
  },
  output: {
    type: "object",
    properties: {
      refundId: { type: "string" },
      orderId: ORDER_ID,
      amountCents: { type: "integer", minimum: 1 },
      reason: { type: "string" },
      at: { type: "string", format: "date-time" },
    },
    required: ["refundId", "orderId", "amountCents", "reason", "at"],
    additionalProperties: false,
  },
  handler: async (
    { orderId, amountCents, reason },
    { idempotencyKey, log },
  ) => {
    const order = findOrder(orderId);
    if (order === undefined) throw new Error(`There is no order ${orderId}`);

    // A repeated call brings the same key: the money goes out once, and both calls get the same answer.
    const refundId = idempotencyKey ?? randomUUID();
    const refund = await withLedger((refunds) => {
      const earlier = refunds.find((known) => known.refundId === refundId);
      if (earlier !== undefined) return earlier;
      const left = refunds
        .filter((known) => known.orderId === orderId)
        .reduce((rest, known) => rest - known.amountCents, order.totalCents);
      if (amountCents > left) {
        throw new Error(
          `Cannot refund ${amountCents} cents of ${orderId}: ${left} are left of what was paid`,
        );
      }
      return {
        refundId,
        orderId,
        amountCents,
        reason,
        at: new Date().toISOString(),
      };
    });
    log.info("order refunded", { orderId, amountCents: refund.amountCents });
    return refund;
  },
});
