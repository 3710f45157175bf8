/**
 * A tool made ready to be called many times.
 *
 * @module
 */
import type { SchemaIssue } from "../base/json_schema.ts";
import { ok } from "../base/result.ts";
import type { StandardResult } from "../base/zod_schema.ts";
import { attempt, type MaybePromise } from "./chain.ts";
import { compiledOnce } from "./compiled_once.ts";
import {
  failed,
  failedByIssues,
  failedByThrow,
  type HandlerOutcome,
} from "./handler_error.ts";
import { importPackModule, type ModuleImporter } from "./module_import.ts";
import { type ResolvedHandler, resolveHandler } from "./resolve_handler.ts";

/** What the runner has to know of a tool. */
export interface RunnableTool {
  /** The tool's id, for messages. */
  readonly id: string;
  /** Where its module is: an absolute path, a URL or a package name, or whatever the given importer takes. */
  readonly modulePath: string;
  /** JSON Schema of the input; its defaults are filled in. */
  readonly inputSchema: unknown;
  /** JSON Schema of the output. */
  readonly outputSchema: unknown;
}

/** How one call is run. */
export interface RunOptions {
  /** The input is the runner's own, such as one just parsed from JSON: defaults may be written into it, uncopied. */
  readonly ownsInput?: boolean;
}

/** A tool whose schemas are compiled once and whose handler is looked up once per loaded module. */
export interface PreparedHandler {
  /** Runs one call; answers without a promise when the importer and the handler do. Never throws or rejects. */
  run(
    input: unknown,
    ctx: unknown,
    options?: RunOptions,
  ): HandlerOutcome | Promise<HandlerOutcome>;
}

/**
 * Makes a tool ready for many calls. Schemas are compiled at their first use, as a single call does, and an edit of the
 * tool's schemas after that goes unseen. The importer is asked on every call.
 */
export function prepareHandler(
  tool: RunnableTool,
  importHandler: ModuleImporter = importPackModule,
): PreparedHandler {
  const { id } = tool;
  const inputValidator = compiledOnce(tool.inputSchema, "input");
  const outputValidator = compiledOnce(tool.outputSchema, "output");
  let lastModule: unknown;
  let lastResolved: ResolvedHandler | undefined;

  const resolve = (module: unknown): ResolvedHandler | undefined => {
    if (lastResolved === undefined || lastModule !== module) {
      lastResolved = resolveHandler(module);
      lastModule = module;
    }
    return lastResolved;
  };

  const withModule = (
    module: unknown,
    input: unknown,
    ctx: unknown,
  ): MaybePromise<HandlerOutcome> => {
    let resolved: ResolvedHandler | undefined;
    try {
      resolved = resolve(module);
    } catch (thrown) {
      const what = `Cannot read the exports of tool "${id}"`;
      return failedByThrow("handler-shape-invalid", id, what, thrown);
    }
    if (resolved === undefined) {
      const message =
        `Cannot call tool "${id}": its module exports no handler; export a function, or an object with one as "handler" or "run", as default`;
      return failed("handler-shape-invalid", id, message);
    }
    const { handler, inputZod } = resolved;
    if (inputZod === undefined) return call(handler, input, ctx);
    return attempt(
      () => inputZod["~standard"].validate(input),
      (parsed) => {
        const result = parsed as StandardResult;
        return result.issues === undefined
          ? call(handler, result.value, ctx)
          : inputRefused(id, result.issues.map(toIssue));
      },
      (thrown) => {
        const what =
          `Cannot parse the input of tool "${id}" with its Zod schema`;
        return failedByThrow("input-validation-failed", id, what, thrown);
      },
    );
  };

  const call = (
    handler: ResolvedHandler["handler"],
    input: unknown,
    ctx: unknown,
  ): MaybePromise<HandlerOutcome> =>
    attempt(
      () => handler(input, ctx),
      checkOutput,
      (thrown) =>
        failedByThrow("handler-throw", id, `Tool "${id}" threw`, thrown),
    );

  const checkOutput = (answered: unknown): HandlerOutcome => {
    // JSON has no undefined, so what is checked is what is sent.
    const output = answered === undefined ? null : answered;
    const validate = outputValidator();
    if (validate.kind === "err") {
      const what = `Cannot compile the output schema of tool "${id}"`;
      return failedByThrow(
        "output-validation-failed",
        id,
        what,
        validate.error,
      );
    }
    const issues = validate.value(output);
    if (issues.length === 0) return ok(output);
    const what = `Output of tool "${id}" failed validation`;
    return failedByIssues("output-validation-failed", id, what, issues);
  };

  return {
    run(given, ctx, options) {
      const validate = inputValidator();
      if (validate.kind === "err") {
        const what = `Cannot compile the input schema of tool "${id}"`;
        return failedByThrow(
          "input-validation-failed",
          id,
          what,
          validate.error,
        );
      }
      let input = given;
      if (options?.ownsInput !== true) {
        try {
          input = structuredClone(given);
        } catch (thrown) {
          const what = `Cannot copy the input of tool "${id}"`;
          return failedByThrow("input-validation-failed", id, what, thrown);
        }
      }
      const issues = validate.value(input);
      if (issues.length > 0) return inputRefused(id, issues);
      return attempt(
        () => importHandler(tool.modulePath),
        (module) => withModule(module, input, ctx),
        (thrown) => {
          const what = `Cannot import the module of tool "${id}"`;
          return failedByThrow("handler-import-failed", id, what, thrown);
        },
      );
    },
  };
}

function inputRefused(
  id: string,
  issues: readonly SchemaIssue[],
): HandlerOutcome {
  const what = `Input of tool "${id}" failed validation`;
  return failedByIssues("input-validation-failed", id, what, issues);
}

type StandardIssue = NonNullable<StandardResult["issues"]>[number];

/** A Standard Schema issue with its path as a JSON pointer. */
function toIssue(issue: StandardIssue): SchemaIssue {
  const segments = (issue.path ?? []).map((segment) => {
    const key = typeof segment === "object" ? segment.key : segment;
    return `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
  });
  return { instancePath: segments.join(""), message: issue.message };
}
