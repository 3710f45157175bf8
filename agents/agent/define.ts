/**
 * `defineAgent`: an author's specification becomes an agent, or a list of everything that is wrong with it.
 *
 * @module
 */

import { err, ok, type Result } from "../../base/result.ts";
import {
  checkBudget,
  checkConversationPolicy,
  checkToolErrors,
  OVERRIDES_PATH,
} from "./check_conduct.ts";
import { checkIdentity } from "./check_identity.ts";
import { checkMemory, checkRetrieval } from "./check_memory.ts";
import { checkOutput, OUTPUT_SCHEMA_PATH } from "./check_output.ts";
import { parameterIssues } from "./check_parameters.ts";
import {
  checkGuardrails,
  checkSettings,
  checkTools,
} from "./check_references.ts";
import type { InvalidAgentError } from "./errors.ts";
import { IssueList } from "./issue_list.ts";
import {
  type DefinitionIssue,
  issueCount,
  issueSummary,
  shown,
} from "./issues.ts";
import { plainCopy, readProperty } from "./plain_copy.ts";
import type { Agent, DefineAgentSpec } from "./types.ts";

/** What an author may write; anything else, and what only a deployment sets, is dropped. */
const FIELDS = [
  "id",
  "version",
  "name",
  "description",
  "instructions",
  "parameters",
  "capabilities",
  "tools",
  "retrieval",
  "memory",
  "guardrails",
  "settings",
  "modelSettings",
  "preferredProvider",
  "preferredModel",
  "output",
  "toolErrors",
  "conversationPolicy",
  "budget",
  "tags",
] as const satisfies readonly (keyof DefineAgentSpec)[];

const COPYING = {
  skip: new Set([OUTPUT_SCHEMA_PATH]),
  rawKeysAt: new Set([OVERRIDES_PATH]),
};

/**
 * Defines an agent: checks a specification and answers it as plain, JSON-serialisable data.
 *
 * All issues are collected, each with its path, in the order of `spec/agents_define.md` 3: identity, instructions and
 * capabilities, settings, tools, guardrails, retrieval, memory, parameters, budget, conversation policy, tool errors,
 * output. What JSON can't hold (a function, BigInt, `Date`, cycle) is an issue at its place. It never throws, whatever it
 * is given.
 *
 * The agent is a deep copy: later changes to the specification don't reach it. A field that is left out stays absent;
 * unknown fields, `pins`, `pinsDigest` and `derivedFrom` are dropped. A Zod schema in `output` is stored as the JSON
 * Schema of its output side.
 *
 * Instructions are checked by `templateProblem` and `output.schema` is compiled where the process has loaded Liquid and
 * Ajv: always through `./agents`, but not through `./define` by itself, which is light enough for every tool module.
 *
 * @example
 * ```ts
 * import { defineAgent } from "@kindgi-deno/runtime/agents";
 *
 * const drafter = defineAgent({
 *   id: "acme.contract-drafter",
 *   version: "1.0.0",
 *   name: "Contract Drafter",
 *   instructions: "You draft contract clauses for {{ firmName }}. Today is {{ today }}.",
 *   parameters: [{ name: "firmName", type: "string" }],
 *   capabilities: [{ needs: [{ feature: "tool-use" }] }],
 *   tools: [{ id: "acme.clause-search", version: "^1.0.0" }],
 *   retrieval: [],
 *   guardrails: [],
 * });
 * if (drafter.kind === "err") throw new Error(drafter.error.message);
 * console.log(drafter.value.id);
 * ```
 */
export function defineAgent(
  spec: DefineAgentSpec,
): Result<Agent, InvalidAgentError> {
  const given: unknown = spec;
  if (!canBeRead(given)) {
    const message = "an agent is defined by an object with its fields";
    return err(invalidAgent(undefined, [{ path: "", message }]));
  }
  const fields: Record<string, unknown> = {};
  const unheld = new Map<string, string>();
  let givenOutput: unknown;
  for (const field of FIELDS) {
    const path = `/${field}`;
    const read = readProperty(given, field);
    if ("reason" in read) {
      unheld.set(path, read.reason);
      continue;
    }
    if (read.value === undefined) continue;
    if (field === "output") givenOutput = read.value;
    const copy = plainCopy(read.value, { at: path, ...COPYING });
    for (const [place, reason] of copy.problems) unheld.set(place, reason);
    if (copy.value !== undefined) fields[field] = copy.value;
  }

  const issues = new IssueList(unheld);
  checkIdentity(fields, issues);
  checkSettings(fields, issues);
  checkTools(fields.tools, issues);
  checkGuardrails(fields.guardrails, issues);
  checkRetrieval(fields.retrieval, issues);
  checkMemory(fields.memory, issues);
  for (
    const { path, message } of parameterIssues(fields.parameters, "/parameters")
  ) {
    issues.add(path, message);
  }
  checkBudget(fields.budget, issues);
  checkConversationPolicy(fields.conversationPolicy, issues);
  checkToolErrors(fields.toolErrors, issues);
  const output = checkOutput(fields.output, givenOutput, issues);
  if (output !== undefined) fields.output = output;

  const found = issues.all();
  return found.length === 0
    ? ok(fields as unknown as Agent)
    : err(invalidAgent(fields.id, found));
}

/** Whether a value is an object whose fields can be asked for, even if each of them throws. */
function canBeRead(value: unknown): value is object {
  try {
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false; // a revoked proxy
  }
}

function invalidAgent(
  id: unknown,
  issues: readonly DefinitionIssue[],
): InvalidAgentError {
  const whose = id === undefined ? "an agent" : `agent ${shown(id)}`;
  return {
    code: "invalid-agent",
    message: `Cannot define ${whose}: ${issueCount(issues.length)} (${
      issueSummary(issues)
    })`,
    issues,
  };
}
