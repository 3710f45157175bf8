/**
 * One call of a tool: its input checked, its handler run until it is done or given up, its output checked.
 *
 * @module
 */

import { compileSchema } from "../../base/json_schema.ts";
import { mendedJson } from "../../base/mended_text.ts";
import { oneLine } from "../../base/one_line.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { AbortedWaitError, untilAborted } from "../../base/until_aborted.ts";
import { quoted, reasonOf } from "../agent/mod.ts";
import { utf8Length } from "../../base/bounded_echo.ts";
import type {
  ToolInvokeError,
  ToolOutputError,
  ToolPreconditionError,
} from "./errors.ts";
import type { Tool, ToolContext } from "./tool.ts";
import { ToolCallError } from "./tool_call_error.ts";
import {
  firstIssue,
  inputRefused,
  readToolInput,
  rootIssue,
} from "./tool_input.ts";

/** The most bytes of JSON, in UTF-8, that a tool's result may have: 256 KiB (`spec/durability.md`, Bytes). */
export const MAX_TOOL_RESULT_BYTES = 262_144;

/** The longest reason that a message repeats, in UTF-16 code units. */
const REASON_LENGTH = 500;

/** What may be set for a call. */
export interface InvokeToolOptions {
  /** The most bytes of JSON that the result may have; {@link MAX_TOOL_RESULT_BYTES} when absent. */
  readonly maxResultBytes?: number | undefined;
}

/**
 * Calls a tool (`spec/agents_turn.md` 5). Never throws or rejects.
 *
 * The variables that the tool declares have to be in `context.env`; a copy of the input, defaults filled in, has to fit its
 * input schema; the handler runs; its output, as JSON holds it and with its text mended, has to fit the output schema. When
 * `context.abortSignal` aborts, the answer is `tool-aborted` at once, whether the handler honours the signal or not.
 *
 * @param input What the model wrote: an object, or a text that is one in JSON.
 * @returns The output as JSON holds it; `null` where the handler returned nothing.
 */
export async function invokeTool(
  tool: Tool,
  input: unknown,
  context: ToolContext,
  options: InvokeToolOptions = {},
): Promise<Result<unknown, ToolInvokeError>> {
  const { maxResultBytes = MAX_TOOL_RESULT_BYTES } = options;
  const missing = missingEnvironment(tool, context);
  if (missing !== undefined) return err(missing);
  const read = readToolInput(tool, input);
  if (read.kind === "err") return read;
  let output: unknown;
  try {
    output = await untilAborted(
      context.abortSignal,
      () => tool.handler(read.value, context),
    );
  } catch (thrown) {
    return err(callFailed(tool, thrown, context.abortSignal, maxResultBytes));
  }
  return checkedOutput(tool, output, maxResultBytes);
}

/**
 * What the tool declares of variables and the context doesn't give. A tool that runs elsewhere has its variables there
 * (`transport`).
 */
function missingEnvironment(
  tool: Tool,
  context: ToolContext,
): ToolPreconditionError | undefined {
  const declared = tool.needsSpec?.env;
  if (declared === undefined || tool.transport !== undefined) return undefined;
  const schema = compileSchema(declared, "input");
  const errors = schema.kind === "err"
    ? [rootIssue(`the schema of its variables: ${schema.error.message}`)]
    : schema.value({ ...context.env });
  if (errors.length === 0) return undefined;
  return {
    code: "precondition-failed",
    message: `Cannot call tool ${quoted(tool.id)}: its environment ${
      firstIssue(errors)
    }`,
    toolId: tool.id,
    errors,
  };
}

function callFailed(
  tool: Tool,
  thrown: unknown,
  signal: AbortSignal,
  maxBytes: number,
): ToolInvokeError {
  if (thrown instanceof AbortedWaitError || signal.aborted) {
    return {
      code: "tool-aborted",
      message: `Tool ${quoted(tool.id)} was given up: the turn was aborted`,
      toolId: tool.id,
    };
  }
  if (thrown instanceof ToolCallError) {
    switch (thrown.code) {
      case "input-validation-failed":
        return inputRefused(tool, thrown.issues);
      case "output-validation-failed":
        return outputRefused(tool, thrown.issues);
      case "tool-result-too-large":
        return resultTooLarge(tool, maxBytes);
    }
  }
  const reason = oneLine(reasonOf(thrown), REASON_LENGTH);
  return {
    code: "handler-error",
    message: `Tool ${quoted(tool.id)} failed: ${reason}`,
    toolId: tool.id,
    cause: thrown,
  };
}

function checkedOutput(
  tool: Tool,
  output: unknown,
  maxBytes: number,
): Result<unknown, ToolInvokeError> {
  const schema = compileSchema(tool.output, "output");
  if (schema.kind === "err") {
    const message = `the output schema can't be used: ${schema.error.message}`;
    return err(outputRefused(tool, [rootIssue(message)]));
  }
  let held: ReturnType<typeof mendedJson>;
  try {
    held = mendedJson(output);
  } catch (thrown) {
    const message = `must be JSON: ${reasonOf(thrown)}`;
    return err(outputRefused(tool, [rootIssue(message)]));
  }
  if (utf8Length(held.text) > maxBytes) {
    return err(resultTooLarge(tool, maxBytes));
  }
  const issues = schema.value(held.value);
  return issues.length === 0
    ? ok(held.value)
    : err(outputRefused(tool, issues));
}

function outputRefused(
  tool: Tool,
  errors: ToolOutputError["errors"],
): ToolOutputError {
  return {
    code: "output-validation-failed",
    message: `Tool ${quoted(tool.id)} ran, but its output ${
      firstIssue(errors)
    }`,
    toolId: tool.id,
    errors,
  };
}

function resultTooLarge(tool: Tool, limitBytes: number): ToolInvokeError {
  return {
    code: "tool-result-too-large",
    message: `Tool ${
      quoted(tool.id)
    } ran, but its result is larger than ${limitBytes} bytes of JSON: let it answer less`,
    toolId: tool.id,
    limitBytes,
  };
}
