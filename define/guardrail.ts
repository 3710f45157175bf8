/**
 * `defineGuardrail`: which check judges whom, with which config, and what a violation means.
 *
 * @module
 */
import { BUILT_IN_CHECK_IDS } from "../base/built_in_checks.ts";
import { err, isRecord, ok, type Result } from "../base/result.ts";
import { CHECK_KINDS, checkConfigProblem, type DefinedCheck } from "./check.ts";
import {
  type DefinitionIssue,
  isIntegerFrom,
  isList,
  isObject,
  isOneOf,
  issueText,
  isText,
  isTextList,
  type Shape,
  shapeIssues,
} from "./issues.ts";
import { placeIssues } from "./tool_manifest.ts";
import type {
  CheckKind,
  JsonSchema,
  LimitsDeclaration,
  NetworkDeclaration,
  SchemaLike,
} from "./types.ts";

/** What a violation means: it stops the turn, is only told, or is dealt with as the action's other fields say. */
export type OnViolation =
  | "halt"
  | "log-only"
  | "noop"
  | "retry"
  | "escalate"
  | "compensate"
  // Hosts know further ones; this spelling keeps the known ones in an editor's suggestions.
  | (string & Record<never, never>);

/** What happens on a violation. */
export interface GuardrailAction {
  /** What a violation means. */
  readonly "on-violation": OnViolation;
  /** How often to try again, 1 to 10 times. */
  readonly retry?: { readonly maxAttempts: number };
  /** Who is asked. */
  readonly escalateTo?: string;
  /** What makes it good. */
  readonly compensateWith?: string;
}

/** Where a guardrail holds; absent parts don't narrow it. */
export interface GuardrailScope {
  /** In which kind of run. */
  readonly when?: "always" | "ci-only" | "runtime-only";
  /** For which agents, by id. */
  readonly agents?: readonly string[];
  /** For which flows, by id. */
  readonly flows?: readonly string[];
  /** For which tenants. */
  readonly tenants?: readonly string[];
}

/** A guardrail: what a module under `guardrails/` exports as its default. */
export interface GuardrailSpec {
  /** The guardrail's id. */
  readonly id: string;
  /** How its check judges. */
  readonly kind: CheckKind;
  /** The check's id: one of the pack's own, or a built-in's. */
  readonly check: string;
  /** What happens on a violation. */
  readonly action: GuardrailAction;
  /** Its name, for people. */
  readonly name?: string;
  /** What it guards against, for people. */
  readonly description?: string;
  /** How serious a violation is; absent means `error`. */
  readonly severity?: "info" | "warn" | "error" | "critical";
  /** Where it holds. */
  readonly scope?: GuardrailScope;
  /** The check's config. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** The schema of the check's config, for the index: a check that is named by its id can't bring it along. */
  readonly configSchema?: JsonSchema | undefined;
  /** The same as a Zod schema; it counts first. */
  readonly configZod?: SchemaLike<unknown> | undefined;
  /** What a judge's model must be able to do. */
  readonly judgeCapabilities?: readonly unknown[];
  /** What a judge may use up. */
  readonly budget?: Readonly<Record<string, unknown>>;
  /** As for a tool. */
  readonly sandbox?: string;
  /** As for a tool. */
  readonly limits?: LimitsDeclaration;
  /** As for a tool. */
  readonly network?: NetworkDeclaration;
}

/** A check as a guardrail sees it. */
export type RegisteredCheck =
  & Pick<DefinedCheck, "id" | "kind">
  & Partial<
    Pick<DefinedCheck, "configZod" | "configJsonSchema" | "validateConfig">
  >;

/** Where checks are found by id. */
export interface CheckLookup {
  /** The check of that id, if there is one. */
  get(id: string): RegisteredCheck | undefined;
}

/** Why a guardrail can't be defined. */
export interface GuardrailDefinitionError {
  /**
   * `invalid-guardrail`: its fields are wrong; `unknown-check`: no such check is registered; `check-kind-mismatch`: the
   * check judges in another way; `invalid-check-config`: the check doesn't take its config.
   */
  readonly code:
    | "invalid-guardrail"
    | "unknown-check"
    | "check-kind-mismatch"
    | "invalid-check-config";
  /** What is wrong, for people, with the guardrail's id. */
  readonly message: string;
  /** Everything that is wrong, with its place. */
  readonly issues: readonly DefinitionIssue[];
}

const GUARDRAIL: Shape = {
  required: ["id", "kind", "check", "action"],
  rules: {
    id: isText,
    kind: isOneOf(CHECK_KINDS),
    check: isText,
    action: isObject,
    name: isText,
    description: isText,
    severity: isOneOf(["info", "warn", "error", "critical"]),
    scope: isObject,
    config: isObject,
    configSchema: isObject,
    configZod: isObject,
    judgeCapabilities: isList,
    budget: isObject,
    sandbox: isText,
    limits: isObject,
    network: isObject,
  },
};

const ACTION: Shape = {
  required: ["on-violation"],
  rules: {
    "on-violation": isText,
    retry: isObject,
    escalateTo: isText,
    compensateWith: isText,
  },
};

const RETRY: Shape = {
  required: ["maxAttempts"],
  rules: { maxAttempts: isIntegerFrom(1, 10) },
};

const SCOPE: Shape = {
  rules: {
    when: isOneOf(["always", "ci-only", "runtime-only"]),
    agents: isTextList,
    flows: isTextList,
    tenants: isTextList,
  },
};

/**
 * Defines a guardrail: the same object, once its fields, its check and its config are right
 * (`spec/handler_runtime.md` 9). Never throws.
 *
 * `checks` says which checks there are: a registry, or a list of those that the module has. Built-in checks are always
 * there. Without `checks` a check is taken by name alone, and the indexer and the runtime look for it.
 *
 * @example
 * ```ts
 * import { defineCheck, defineGuardrail } from "@kindgi-deno/runtime/define";
 *
 * export const check = defineCheck({
 *   id: "acme.checks.polite",
 *   kind: "zero-llm",
 *   evaluate: (_config, trace) => ({ passed: !trace.output?.includes("!!") }),
 * });
 *
 * export default defineGuardrail({
 *   id: "acme.polite",
 *   kind: "zero-llm",
 *   check: check.id,
 *   configSchema: check.configJsonSchema,
 *   action: { "on-violation": "halt" },
 * }, [check]);
 * ```
 */
export function defineGuardrail<Spec extends GuardrailSpec>(
  spec: Spec,
  checks?: CheckLookup | readonly RegisteredCheck[],
): Result<Spec, GuardrailDefinitionError> {
  const issues = guardrailIssues(spec);
  if (issues.length > 0) return refused(spec, "invalid-guardrail", issues);

  const check = findCheck(spec.check, checks);
  if (!check) {
    if (!checks) return ok(spec);
    return refused(spec, "unknown-check", [{
      path: "/check",
      message: `names ${
        JSON.stringify(spec.check)
      }, which is neither registered nor built in`,
    }]);
  }
  if (check.kind !== spec.kind) {
    return refused(spec, "check-kind-mismatch", [{
      path: "/kind",
      message: `is ${spec.kind}, but the check ${
        JSON.stringify(spec.check)
      } is ${check.kind}`,
    }]);
  }
  const problem = checkConfigProblem(check, spec.config);
  if (problem !== undefined) {
    return refused(spec, "invalid-check-config", [{
      path: "/config",
      message: `doesn't fit the check ${
        JSON.stringify(spec.check)
      }: ${problem}`,
    }]);
  }
  return ok(spec);
}

function guardrailIssues(spec: unknown): DefinitionIssue[] {
  const issues = shapeIssues(spec, GUARDRAIL);
  if (!isRecord(spec)) return issues;
  const { action, scope } = spec;
  if (isRecord(action)) {
    issues.push(...shapeIssues(action, ACTION, "/action"));
    if (isRecord(action.retry)) {
      issues.push(...shapeIssues(action.retry, RETRY, "/action/retry"));
    }
  }
  if (isRecord(scope)) issues.push(...shapeIssues(scope, SCOPE, "/scope"));
  issues.push(...placeIssues(spec));
  return issues;
}

function findCheck(
  id: string,
  checks: CheckLookup | readonly RegisteredCheck[] | undefined,
): RegisteredCheck | undefined {
  const registered = isCheckList(checks)
    ? checks.find((check) => check.id === id)
    : checks?.get(id);
  if (registered) return registered;
  return BUILT_IN_CHECK_IDS.includes(id) ? { id, kind: "zero-llm" } : undefined;
}

function isCheckList(
  checks: CheckLookup | readonly RegisteredCheck[] | undefined,
): checks is readonly RegisteredCheck[] {
  return Array.isArray(checks);
}

function refused(
  spec: unknown,
  code: GuardrailDefinitionError["code"],
  issues: readonly DefinitionIssue[],
): Result<never, GuardrailDefinitionError> {
  const id = isRecord(spec) ? spec.id : undefined;
  return err({
    code,
    message: `Cannot define ${
      typeof id === "string"
        ? `the guardrail ${JSON.stringify(id)}`
        : "a guardrail"
    }: ${issueText(issues)}`,
    issues,
  });
}
