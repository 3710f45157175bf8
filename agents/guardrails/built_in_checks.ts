/**
 * The seven checks that every runtime has (`spec/agents_turn.md` 21.6).
 *
 * @module
 */

import {
  type BuiltInCheck,
  builtInCheck,
  failed,
  PASSED,
  regularExpression,
} from "./built_in_check.ts";
import { isRecord } from "../../base/result.ts";
import type { RunTrace } from "./trace.ts";

const TEXT = { type: "string" };
const TEXTS = { type: "array", items: TEXT };
const COUNT = { type: "integer", minimum: 0 };
const FLAG = { type: "boolean" };
const TOOLS = {
  type: "array",
  items: {
    anyOf: [
      TEXT,
      { type: "object", properties: { id: TEXT }, required: ["id"] },
    ],
  },
};

/** A token in brackets, such as `[2]` or `[acme:contract-7]`. */
const CITATION = "\\[[^\\[\\]]+\\]";
const DEFAULT_MAX_TOOL_CALLS = 10;

/** The answer cites sources: as many matches of `sourcePattern` (a `[…]` token) as `minCitations` (1). */
const mustCite = builtInCheck({
  id: "must-cite",
  properties: { minCitations: COUNT, sourcePattern: TEXT },
  patternKey: "sourcePattern",
  judge: ({ minCitations = 1, sourcePattern = CITATION }, { output }) => {
    if (isEmpty(output)) return failed("the answer is empty");
    const pattern = new RegExp(String(sourcePattern), "g");
    const count = [...output.matchAll(pattern)].length;
    return count >= Number(minCitations) ? PASSED : failed(
      `the answer has ${count} citations, and ${minCitations} are asked for`,
    );
  },
});

/** None of `tools` was called. */
const neverCallTool = builtInCheck({
  id: "never-call-tool",
  properties: { tools: TOOLS },
  judge: ({ tools }, trace) => {
    const banned = toolIds(tools);
    const called = calledTools(trace).find((id) => banned.includes(id));
    return called === undefined ? PASSED : failed(`tool ${called} was called`);
  },
});

/** No more than `max` (10) tool calls. */
const maxToolCalls = builtInCheck({
  id: "max-tool-calls",
  properties: { max: COUNT },
  judge: ({ max = DEFAULT_MAX_TOOL_CALLS }, trace) => {
    const count = calledTools(trace).length;
    return count <= Number(max)
      ? PASSED
      : failed(`${count} tools were called, and ${max} are allowed`);
  },
});

/** The answer matches `pattern` (or with `negate` doesn't); without a pattern it fails. */
const outputMatches = builtInCheck({
  id: "output-matches",
  properties: { pattern: TEXT, flags: TEXT, negate: FLAG },
  patternKey: "pattern",
  judge: ({ pattern, flags, negate = false }, { output }) => {
    if (pattern === undefined) return failed("no pattern is configured");
    const matches = regularExpression(String(pattern), flags)
      .test(output ?? "");
    if (matches !== negate) return PASSED;
    return failed(
      negate
        ? "the answer matches a pattern that it must not match"
        : "the answer doesn't match the pattern",
    );
  },
});

/** The tools of `sequence` were called in that order, others between them or not. */
const toolOrder = builtInCheck({
  id: "tool-order",
  properties: { sequence: TOOLS },
  judge: ({ sequence }, trace) => {
    const expected = toolIds(sequence);
    let next = 0;
    for (const id of calledTools(trace)) {
      if (id === expected[next]) next++;
    }
    return next === expected.length
      ? PASSED
      : failed(`tool ${expected[next]} was not called in its place`);
  },
});

/** Every one of `patterns` is in the answer. */
const requiredSubstring = builtInCheck({
  id: "required-substring",
  properties: { patterns: TEXTS, caseSensitive: FLAG },
  judge: ({ patterns, caseSensitive }, { output }) => {
    const wanted = texts(patterns);
    if (wanted.length === 0) return PASSED;
    if (isEmpty(output)) return failed("the answer is empty");
    const missing = wanted.find((part) =>
      !contains(output, part, caseSensitive)
    );
    return missing === undefined
      ? PASSED
      : failed(`the answer lacks ${JSON.stringify(missing)}`);
  },
});

/** None of `patterns` is in the answer. */
const forbiddenSubstring = builtInCheck({
  id: "forbidden-substring",
  properties: { patterns: TEXTS, caseSensitive: FLAG },
  judge: ({ patterns, caseSensitive }, { output }) => {
    if (isEmpty(output)) return PASSED;
    const found = texts(patterns).find((part) =>
      contains(output, part, caseSensitive)
    );
    return found === undefined
      ? PASSED
      : failed(`the answer contains ${JSON.stringify(found)}`);
  },
});

/** All of them. */
export const BUILT_IN_CHECKS: readonly BuiltInCheck[] = Object.freeze([
  mustCite,
  neverCallTool,
  maxToolCalls,
  outputMatches,
  toolOrder,
  requiredSubstring,
  forbiddenSubstring,
]);

function isEmpty(output: string | undefined): boolean {
  return output === undefined || output.trim() === "";
}

function contains(text: string, part: string, caseSensitive: unknown): boolean {
  return caseSensitive === true
    ? text.includes(part)
    : text.toLowerCase().includes(part.toLowerCase());
}

/** Checks also run on traces that a host built by hand. */
function calledTools(trace: RunTrace): string[] {
  return (trace.toolCalls ?? []).map(({ toolId }) => toolId);
}

function toolIds(tools: unknown): string[] {
  return list(tools).map((tool) => String(isRecord(tool) ? tool.id : tool));
}

function texts(patterns: unknown): string[] {
  return list(patterns).map(String);
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
