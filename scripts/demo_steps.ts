/**
 * What `deno task demo` shows: calls of the example pack, each with what it has to answer.
 *
 * @module
 */
import { randomUUID } from "node:crypto";
import type { PackRequest } from "../pack_service/protocol.ts";
import { checkRequest, toolRequest } from "./pack_client.ts";

/** One call. */
export interface DemoStep {
  /** What it shows, for people. */
  readonly title: string;
  /** The call. */
  readonly request: PackRequest;
  /** The call's deadline in ms; the service's when absent. */
  readonly timeoutMs?: number;
  /** The kind that the answer has to have, or the code that it has to have as an error. */
  readonly expected: string;
  /** A text that has to be in the answer's JSON. */
  readonly includes: string;
}

/** A card number as an agent might repeat it: nobody's, but with a right check digit. */
const CARD = "5555 5555 5555 4444";

/** The calls in order; `carrier` is the URL of a server that answers at `/parcels/…` and never at `/slow`. */
export function demoSteps(carrier: string): readonly DemoStep[] {
  const key = randomUUID();
  const refund = toolRequest("support.refund_order", {
    orderId: "A-10042",
    amountCents: 2_000,
    reason: "A leg of the chair is scratched",
  }, key);
  return [
    {
      title: "A tool answers",
      request: toolRequest("support.find_order", { orderId: "A-10042" }),
      expected: "result",
      includes: `"orderId":"A-10042"`,
    },
    {
      title:
        "The schema fills in what the caller leaves out: ten orders at most",
      request: toolRequest("support.list_orders", {
        status: "delivered",
      }),
      expected: "result",
      includes: `"matching":19`,
    },
    {
      title: "Input that breaks its schema never reaches the handler",
      request: toolRequest("support.find_order", { orderId: "10042" }),
      expected: "input-validation-failed",
      includes: `"instancePath":"/orderId"`,
    },
    {
      title: "A tool that changes something",
      request: refund,
      expected: "result",
      includes: key,
    },
    {
      title: "The same call again, with its key: the money goes out once",
      request: refund,
      expected: "result",
      includes: key,
    },
    {
      title: "A handler that throws is an answer too",
      request: toolRequest("support.refund_order", {
        orderId: "A-10042",
        amountCents: 1_000_000,
        reason: "Asked for more than was paid",
      }),
      expected: "handler-throw",
      includes: "are left of what was paid",
    },
    {
      title: "A tool in a sandbox reaches the host that it declares",
      request: toolRequest("support.fetch_status", {
        trackingUrl: `${carrier}/parcels/K19722233`,
      }),
      expected: "result",
      includes: "Out for delivery",
    },
    {
      title: "… and no other",
      request: toolRequest("support.fetch_status", {
        trackingUrl: "https://intranet.example.org/salaries",
      }),
      expected: "handler-throw",
      includes: "intranet.example.org",
    },
    {
      title: "A call that takes too long is cut off at its deadline",
      request: toolRequest("support.fetch_status", {
        trackingUrl: `${carrier}/slow`,
      }),
      timeoutMs: 400,
      expected: "deadline-exceeded",
      includes: "support.fetch_status",
    },
    {
      title: "A guardrail's check lets an answer pass",
      request: checkRequest("support.checks.no-card-numbers", {}, {
        output: "Your refund of 32.00 EUR is on its way.",
      }),
      expected: "check-result",
      includes: `"passed":true`,
    },
    {
      title: "… and stops one that shows a card's number",
      request: checkRequest("support.checks.no-card-numbers", {}, {
        output: `The refund goes to the card ${CARD}.`,
      }),
      expected: "check-result",
      includes: `"passed":false`,
    },
  ];
}
