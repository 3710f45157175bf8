/**
 * A capability's requirements as constraints (`spec/agents_define.md` 13.3).
 *
 * @module
 */

import { isRecord } from "../../base/result.ts";
import {
  COMPARISON_OPERATORS,
  type ComparisonOperator,
  shown,
} from "../agent/mod.ts";
import { bracketed, compares, type Constraint, unless } from "./constraint.ts";

/** A comparison, read from data that nobody has checked. */
interface Comparison {
  readonly op: ComparisonOperator;
  readonly wanted: number;
}

/** An allow-and-deny list, read likewise. */
interface Lists {
  readonly allow: readonly string[] | undefined;
  readonly deny: readonly string[] | undefined;
}

/**
 * The constraint that a requirement stands for.
 *
 * `defineAgent` doesn't look into capabilities, so anything can be here. What isn't exactly one of the known forms is
 * satisfied by nothing: a need that can't be read must not be dropped.
 */
export function requirementConstraint(requirement: unknown): Constraint {
  const entries = isRecord(requirement) ? Object.entries(requirement) : [];
  const [only] = entries;
  const constraint = entries.length === 1 && only !== undefined
    ? READERS[only[0]]?.(only[1])
    : undefined;
  return constraint ?? unknownRequirement(requirement);
}

function unknownRequirement(requirement: unknown): Constraint {
  return {
    label: `unknown ${shown(requirement)}`,
    judge: () => ({
      code: "unknown-requirement",
      message: "the requirement is not one of the known forms",
    }),
  };
}

const READERS: Readonly<
  Record<string, (value: unknown) => Constraint | undefined>
> = Object.assign(Object.create(null), {
  feature,
  contextWindow,
  costPerCall,
  region,
  p95LatencyMs,
  providers,
  models,
});

function feature(wanted: unknown): Constraint | undefined {
  if (typeof wanted !== "string") return undefined;
  return {
    label: `feature:${wanted}`,
    judge: ({ model }) =>
      unless((model.features as readonly string[]).includes(wanted), {
        code: "missing-feature",
        message: `has no ${wanted}`,
        feature: wanted,
      }),
  };
}

function contextWindow(value: unknown): Constraint | undefined {
  const comparison = comparisonOf(value, "value");
  if (comparison === undefined) return undefined;
  const { op, wanted } = comparison;
  return {
    label: `contextWindow${op}${wanted}`,
    judge: ({ model: { contextWindow: observed } }) =>
      unless(compares(observed, op, wanted), {
        code: "context-window-mismatch",
        message: `has a context window of ${observed} tokens`,
        observed,
        op,
        wanted,
      }),
  };
}

function costPerCall(value: unknown): Constraint | undefined {
  const comparison = comparisonOf(value, "usd");
  if (comparison === undefined) return undefined;
  const { op, wanted } = comparison;
  return {
    label: `costPerCall${op}$${wanted}`,
    judge: ({ model: { cost: { promptUsdPer1kTokens: observed } } }) =>
      unless(compares(observed, op, wanted), {
        code: "cost-exceeds-cap",
        message: `costs $${observed} per 1 000 prompt tokens`,
        observedUsdPer1k: observed,
        op,
        wantedUsd: wanted,
      }),
  };
}

function region(wanted: unknown): Constraint | undefined {
  if (typeof wanted !== "string") return undefined;
  return {
    label: `region=${wanted}`,
    judge: ({ provider: { metadata: { region: observed } } }) =>
      unless(observed === wanted, {
        code: "region-mismatch",
        message: `runs in ${observed}`,
        observed,
        wanted,
      }),
  };
}

function p95LatencyMs(value: unknown): Constraint | undefined {
  const comparison = comparisonOf(value, "value");
  if (comparison === undefined) return undefined;
  const { op, wanted } = comparison;
  if (op !== "<" && op !== "<=") return undefined;
  return {
    label: `p95LatencyMs${op}${wanted}`,
    judge: ({ model: { p95LatencyMs: observed } }) =>
      observed === undefined
        ? { code: "p95-latency-unknown", message: "reports no latency" }
        : unless(compares(observed, op, wanted), {
          code: "p95-latency-exceeds",
          message: `has a latency of ${observed} ms`,
          observedMs: observed,
          op,
          wantedMs: wanted,
        }),
  };
}

function providers(value: unknown): Constraint | undefined {
  const lists = listsOf(value);
  if (lists === undefined) return undefined;
  const { allow, deny } = lists;
  return {
    label: `providers${listsLabel(lists)}`,
    judge: ({ provider: { metadata: { id } } }) =>
      unless(!deny?.includes(id), {
        code: "provider-on-denylist",
        message: "the provider is denied",
      }) ?? unless(allow?.includes(id) ?? true, {
        code: "provider-not-in-allowlist",
        message: "the provider is not among the allowed ones",
        allow: allow ?? [],
      }),
  };
}

function models(value: unknown): Constraint | undefined {
  const lists = listsOf(value);
  if (lists === undefined) return undefined;
  const { allow, deny } = lists;
  return {
    label: `models${listsLabel(lists)}`,
    judge: ({ model: { name } }) =>
      unless(!deny?.includes(name), {
        code: "model-on-denylist",
        message: "the model is denied",
      }) ?? unless(allow?.includes(name) ?? true, {
        code: "model-not-in-allowlist",
        message: "the model is not among the allowed ones",
        allow: allow ?? [],
      }),
  };
}

function comparisonOf(value: unknown, amount: string): Comparison | undefined {
  if (!isRecord(value)) return undefined;
  const { op, [amount]: wanted } = value;
  if (!(COMPARISON_OPERATORS as readonly unknown[]).includes(op)) {
    return undefined;
  }
  if (typeof wanted !== "number" || !Number.isFinite(wanted)) return undefined;
  return { op: op as ComparisonOperator, wanted };
}

function listsOf(value: unknown): Lists | undefined {
  if (!isRecord(value)) return undefined;
  const { allow, deny } = value;
  return isNameList(allow) && isNameList(deny) ? { allow, deny } : undefined;
}

function isNameList(value: unknown): value is readonly string[] | undefined {
  return value === undefined ||
    Array.isArray(value) && value.every((name) => typeof name === "string");
}

function listsLabel({ allow, deny }: Lists): string {
  const allowed = allow === undefined ? "" : `allow:${bracketed(allow)}`;
  const denied = deny === undefined ? "" : `deny:${bracketed(deny)}`;
  return `{${allowed}${denied}}`;
}
