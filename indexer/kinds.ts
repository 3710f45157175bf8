/**
 * The four kinds of thing that a pack is made of, told apart by the folder of a file and the shape of its export.
 *
 * @module
 */
import { isRecord } from "../base/result.ts";
import { isZodSchema } from "../base/zod_schema.ts";

/** What a pack's file can hold. */
export type PrimitiveKind = "tool" | "guardrail" | "agent" | "flow";

/** The four kinds in the order in which patterns and shapes are tried. */
export const PRIMITIVE_KINDS: readonly PrimitiveKind[] = [
  "tool",
  "guardrail",
  "agent",
  "flow",
];

/** The folder and the index list of each kind. */
export const KIND_FOLDERS: {
  readonly [Kind in PrimitiveKind]: `${Kind}s`;
} = {
  tool: "tools",
  guardrail: "guardrails",
  agent: "agents",
  flow: "flows",
};

/**
 * The kind of a default export by its shape, first match, or `undefined` when it has none
 * (`spec/handler_runtime.md` 7.4).
 */
export function kindOfShape(value: unknown): PrimitiveKind | undefined {
  if (!isRecord(value)) return undefined;
  if (
    typeof value.handler === "function" &&
    ("input" in value || "inputZod" in value)
  ) {
    return "tool";
  }
  if (
    isRecord(value.action) && "on-violation" in value.action && "kind" in value
  ) {
    return "guardrail";
  }
  if (isInstructions(value.instructions) && Array.isArray(value.tools)) {
    return "agent";
  }
  if (Array.isArray(value.nodes) && Array.isArray(value.edges)) return "flow";
  return undefined;
}

/** Whether a value is an agent's instructions: a template, or a reference to a prompt block. */
export function isInstructions(value: unknown): boolean {
  if (typeof value === "string") return true;
  return isRecord(value) && typeof value.prompt === "string" &&
    typeof value.version === "string";
}

/** What a value looks like, in a few words, for a message about one that fits no kind. */
export function describeShape(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (isZodSchema(value)) return "a Zod schema";
  if (typeof value !== "object") return `a ${typeof value}`;
  const keys = Object.keys(value);
  if (keys.length === 0) return "an object without keys";
  const shown = keys.slice(0, 8).join(", ");
  return `an object with the keys ${shown}${keys.length > 8 ? ", …" : ""}`;
}
