/**
 * The rules of a tool's manifest (`spec/handler_runtime.md` 9, and `spec/executors.md` for network and limits).
 *
 * @module
 */
import { hostChecks } from "../base/host_checks.ts";
import { isRecord } from "../base/result.ts";
import {
  at,
  type DefinitionIssue,
  isBoolean,
  isExactVersion,
  isFunction,
  isIntegerFrom,
  isList,
  isObject,
  isOneOf,
  isText,
  isTextList,
  type Shape,
  shapeIssues,
} from "./issues.ts";
import type { EffectKind } from "./types.ts";

/** Every kind of effect that a tool may declare. */
export const EFFECT_KINDS: readonly EffectKind[] = Object.freeze<EffectKind[]>([
  "reads",
  "writes",
  "deletes",
  "network",
  "spawns-run",
  "emits-event",
  "external-side-effect",
  "sensitive-data-egress",
]);

const TOOL: Shape = {
  required: ["id", "description", "version", "input", "output"],
  rules: {
    id: isText,
    description: isText,
    version: isExactVersion,
    input: () => undefined, // read, and judged, as a schema
    output: () => undefined,
    handler: isFunction,
    spec: isObject,
    mutating: isBoolean,
    effects: isList,
    needs: isList,
    needsSpec: isObject,
    transport: isText,
    mcpEndpoint: isText,
    sandbox: isText,
    limits: isObject,
    network: isObject,
    metadata: isObject,
    codeArtifactRef: isText,
  },
};

const EFFECT: Shape = {
  required: ["kind"],
  rules: { kind: isText, resource: isText },
};

const LIMITS: Shape = {
  open: true,
  rules: { memMB: isIntegerFrom(16), cpuMs: isIntegerFrom(1) },
};

/** Everything that is wrong with a tool's manifest but its schemas and the kinds of its effects. */
export function toolManifestIssues(spec: unknown): DefinitionIssue[] {
  const issues = shapeIssues(spec, TOOL);
  if (!isRecord(spec)) return issues;
  if ((spec.handler === undefined) === (spec.spec === undefined)) {
    issues.push({
      path: "",
      message: spec.handler === undefined
        ? "needs either a handler or a spec"
        : "has both a handler and a spec; keep one",
    });
  }
  if (Array.isArray(spec.effects)) {
    for (const [index, effect] of spec.effects.entries()) {
      issues.push(...shapeIssues(effect, EFFECT, at("/effects", index)));
    }
  }
  issues.push(...placeIssues(spec));
  return issues;
}

/** Everything that is wrong with what is declared about network and limits, by a tool or a guardrail. */
export function placeIssues(spec: Record<string, unknown>): DefinitionIssue[] {
  const { limits, network } = spec;
  return [
    ...isRecord(limits) ? shapeIssues(limits, LIMITS, "/limits") : [],
    ...isRecord(network)
      ? shapeIssues(network, networkShape(network.kind), "/network")
      : [],
  ];
}

function networkShape(kind: unknown): Shape {
  const rules = { kind: isOneOf(["none", "unrestricted", "allowlist"]) };
  return kind === "allowlist"
    ? {
      required: ["kind", "hosts"],
      rules: { ...rules, hosts: isTextList },
    }
    : { required: ["kind"], rules };
}

/** The effects whose kind isn't known. */
export function effectIssues(
  effects: readonly { readonly kind: string }[] | undefined,
): DefinitionIssue[] {
  const known = isOneOf(EFFECT_KINDS);
  return (effects ?? []).flatMap(({ kind }, index) => {
    const message = known(kind);
    return message === undefined
      ? []
      : [{ path: `${at("/effects", index)}/kind`, message }];
  });
}

/** Everything that is wrong with the schemas of what a tool needs. */
export function needsSchemaIssues(needsSpec: unknown): DefinitionIssue[] {
  if (!isRecord(needsSpec)) return [];
  const issues: DefinitionIssue[] = [];
  for (const key of ["secrets", "env"]) {
    const schema = needsSpec[key];
    if (schema === undefined) continue;
    const path = at("/needsSpec", key);
    const problem = isRecord(schema)
      ? hostChecks().schemaProblem?.(schema, "input")
      : "must be a JSON Schema object";
    if (problem !== undefined) issues.push({ path, message: problem });
  }
  if (isRecord(needsSpec.env) && isRecord(needsSpec.env.properties)) {
    for (const [name, schema] of Object.entries(needsSpec.env.properties)) {
      if (
        isRecord(schema) && schema.default !== undefined &&
        typeof schema.default !== "string"
      ) {
        issues.push({
          path: `${at("/needsSpec/env/properties", name)}/default`,
          message: "must be a string, as every environment variable is",
        });
      }
    }
  }
  return issues;
}
