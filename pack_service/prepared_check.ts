/**
 * A guardrail check made ready to be called many times.
 *
 * @module
 */
import { ok } from "../base/result.ts";
import { attempt, type MaybePromise } from "./chain.ts";
import { compiledOnce } from "./compiled_once.ts";
import {
  failed,
  failedByIssues,
  failedByThrow,
  type HandlerOutcome,
} from "./handler_error.ts";
import { importPackModule, type ModuleImporter } from "./module_import.ts";
import {
  type CheckBindings,
  type Evaluate,
  resolveCheck,
} from "./resolve_handler.ts";

/** What the runner has to know of a check. */
export interface RunnableCheck {
  /** The check's id, for messages. */
  readonly id: string;
  /** Where its module is: an absolute path, a URL or a package name, or whatever the given importer takes. */
  readonly modulePath: string;
  /** JSON Schema of the config; without one any config goes. */
  readonly configSchema?: unknown;
}

/** A check whose config schema is compiled once and whose function is looked up once per loaded module. */
export interface PreparedCheck {
  /** Runs the check; answers without a promise when the importer and the check do. Never throws or rejects. */
  run(
    config: unknown,
    trace: unknown,
    abortSignal?: AbortSignal,
  ): HandlerOutcome | Promise<HandlerOutcome>;
}

/**
 * Makes a check ready for many calls. Its schema is compiled at first use and an edit after that goes unseen; the importer
 * is asked on every call.
 */
export function prepareCheck(
  check: RunnableCheck,
  importCheck: ModuleImporter = importPackModule,
): PreparedCheck {
  const { id } = check;
  // A config is judged as sent, so the side that fills in no defaults.
  const configValidator = check.configSchema === undefined
    ? undefined
    : compiledOnce(check.configSchema, "output");
  let lastModule: unknown;
  let lastEvaluate: Evaluate | undefined;

  const resolve = (module: unknown): Evaluate | undefined => {
    if (lastEvaluate === undefined || lastModule !== module) {
      lastEvaluate = resolveCheck(module);
      lastModule = module;
    }
    return lastEvaluate;
  };

  const withModule = (
    module: unknown,
    config: unknown,
    trace: unknown,
    bindings: CheckBindings,
  ): MaybePromise<HandlerOutcome> => {
    let evaluate: Evaluate | undefined;
    try {
      evaluate = resolve(module);
    } catch (thrown) {
      const what = `Cannot read the exports of check "${id}"`;
      return failedByThrow("check-shape-invalid", id, what, thrown);
    }
    if (evaluate === undefined) {
      const message =
        `Cannot run check "${id}": its module exports no check; export a function, or an object with one as "evaluate", as "check"`;
      return failed("check-shape-invalid", id, message);
    }
    const found = evaluate;
    return attempt(
      () => found(config, trace, bindings),
      (result) => ok(result),
      (thrown) =>
        failedByThrow("handler-throw", id, `Check "${id}" threw`, thrown),
    );
  };

  return {
    run(config, trace, abortSignal) {
      const validate = configValidator?.();
      if (validate?.kind === "err") {
        const what = `Cannot compile the config schema of check "${id}"`;
        return failedByThrow(
          "input-validation-failed",
          id,
          what,
          validate.error,
        );
      }
      const issues = validate?.value(config) ?? [];
      if (issues.length > 0) {
        const what = `Check "${id}" config failed validation`;
        return failedByIssues("input-validation-failed", id, what, issues);
      }
      const bindings = abortSignal === undefined ? {} : { abortSignal };
      return attempt(
        () => importCheck(check.modulePath),
        (module) => withModule(module, config, trace, bindings),
        (thrown) => {
          const what = `Cannot import the module of check "${id}"`;
          return failedByThrow("handler-import-failed", id, what, thrown);
        },
      );
    },
  };
}
