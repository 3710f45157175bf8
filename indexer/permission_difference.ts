/**
 * What a change of a tool's or guardrail's declared permissions means.
 *
 * @module
 */
import { isRecord } from "../base/result.ts";
import type { ChangeDirection } from "./schema_difference.ts";

/** Fields of an entry that say what its code may do. */
export const PERMISSION_FIELDS: ReadonlySet<string> = new Set([
  "effects",
  "limits",
  "needs",
  "network",
  "sandbox",
]);

/** Which way a permission field changed: `widened` lets the code do more. */
export function permissionDirection(
  field: string,
  before: unknown,
  after: unknown,
): ChangeDirection {
  switch (field) {
    case "effects":
    case "needs":
      return setDirection(itemsOf(before), itemsOf(after));
    case "limits":
      return limitsDirection(before, after);
    case "network":
      return networkDirection(before, after);
    case "sandbox":
      return direction(sandboxRank(before), sandboxRank(after));
    default:
      return "changed";
  }
}

function direction(before: number, after: number): ChangeDirection {
  if (before === after) return "changed";
  return after > before ? "widened" : "narrowed";
}

function setDirection(
  before: readonly string[],
  after: readonly string[],
): ChangeDirection {
  const added = after.some((item) => !before.includes(item));
  const removed = before.some((item) => !after.includes(item));
  if (added === removed) return "changed";
  return added ? "widened" : "narrowed";
}

function itemsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map((item) => JSON.stringify(item)) : [];
}

/** A limit that isn't there limits nothing. */
function limitsDirection(before: unknown, after: unknown): ChangeDirection {
  const [old, now] = [
    isRecord(before) ? before : {},
    isRecord(after) ? after : {},
  ];
  const directions = new Set<ChangeDirection>();
  for (const name of new Set([...Object.keys(old), ...Object.keys(now)])) {
    if (old[name] === now[name]) continue;
    const one = direction(limit(old[name]), limit(now[name]));
    directions.add(one);
  }
  const [only] = directions;
  return directions.size === 1 && only ? only : "changed";
}

function limit(value: unknown): number {
  return typeof value === "number" ? value : Infinity;
}

/** Without a declaration the pack's own network counts, which is at least as wide as any declared one. */
function networkDirection(before: unknown, after: unknown): ChangeDirection {
  const [from, to] = [networkRank(before), networkRank(after)];
  if (from !== to || from !== ALLOWLIST) return direction(from, to);
  return setDirection(hostsOf(before), hostsOf(after));
}

const ALLOWLIST = 1;

function networkRank(value: unknown): number {
  const kind = isRecord(value) ? value.kind : undefined;
  return kind === "none" ? 0 : kind === "allowlist" ? ALLOWLIST : 2;
}

function hostsOf(value: unknown): string[] {
  return isRecord(value) ? itemsOf(value.hosts) : [];
}

function sandboxRank(value: unknown): number {
  return value === "strict" ? 0 : value === "context-isolated" ? 1 : 2;
}
