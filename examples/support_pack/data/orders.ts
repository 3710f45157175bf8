/** The shop's orders. A real pack asks its shop; this one reads them from a file. */
import orders from "./orders.json" with { type: "json" };

/** How far an order has come. */
export type OrderStatus =
  | "paid"
  | "shipped"
  | "delivered"
  | "returned"
  | "cancelled";

/** An order. Amounts are in cents, so that they add up. */
export interface Order {
  readonly orderId: string;
  readonly placedAt: string;
  readonly status: OrderStatus;
  readonly customer: { readonly name: string; readonly email: string };
  readonly items: readonly {
    readonly sku: string;
    readonly title: string;
    readonly quantity: number;
    readonly unitCents: number;
  }[];
  readonly totalCents: number;
  readonly currency: string;
  /** Where the parcel's status can be read, once it has left. */
  readonly trackingUrl?: string;
}

/** Every order, the newest first. */
export const ORDERS: readonly Order[] = orders as readonly Order[];

/** The order of that id, if there is one. */
export function findOrder(orderId: string): Order | undefined {
  return ORDERS.find((order) => order.orderId === orderId);
}

/** What an order's id looks like, as JSON Schema. */
export const ORDER_ID = {
  type: "string",
  pattern: "^A-[0-9]{5}$",
  description: "The order's id, such as A-10042",
} as const;

/** What tools answer about an order, as JSON Schema. */
export const ORDER_SCHEMA = {
  type: "object",
  properties: {
    orderId: ORDER_ID,
    placedAt: { type: "string", format: "date-time" },
    status: { enum: ["paid", "shipped", "delivered", "returned", "cancelled"] },
    customer: {
      type: "object",
      properties: {
        name: { type: "string" },
        email: { type: "string", format: "email" },
      },
      required: ["name", "email"],
      additionalProperties: false,
    },
    items: {
      type: "array",
      items: {
        type: "object",
        properties: {
          sku: { type: "string" },
          title: { type: "string" },
          quantity: { type: "integer", minimum: 1 },
          unitCents: { type: "integer", minimum: 0 },
        },
        required: ["sku", "title", "quantity", "unitCents"],
        additionalProperties: false,
      },
    },
    totalCents: { type: "integer", minimum: 0 },
    currency: { type: "string" },
    trackingUrl: { type: "string", format: "uri" },
  },
  required: [
    "orderId",
    "placedAt",
    "status",
    "customer",
    "items",
    "totalCents",
    "currency",
  ],
  additionalProperties: false,
} as const;
