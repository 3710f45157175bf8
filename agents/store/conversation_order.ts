/**
 * How conversations are listed by stores that sort and filter by themselves.
 *
 * @module
 */

import { compareCodeUnits } from "../../base/canonical_json.ts";
import type { Timestamp } from "../agent/mod.ts";
import type { ConversationScope } from "../conversation/mod.ts";

/** By when they were opened, the latest first, then by id downwards. */
export function newestFirst(
  left: { readonly openedAt: Timestamp | string; readonly id: string },
  right: { readonly openedAt: Timestamp | string; readonly id: string },
): number {
  return compareCodeUnits(right.openedAt, left.openedAt) ||
    compareCodeUnits(right.id, left.id);
}

/** Whether a scope has each of the wanted keys with an equal value. */
export function isInScope(
  scope: ConversationScope,
  wanted: ConversationScope = {},
): boolean {
  return Object.entries(wanted).every(([key, value]) =>
    value === undefined ||
    Object.hasOwn(scope, key) &&
      JSON.stringify(scope[key]) === JSON.stringify(value)
  );
}
