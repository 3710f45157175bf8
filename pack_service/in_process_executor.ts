/**
 * Runs a pack's calls in this process: for programs that embed the service, and on Node. Nothing is held back from pack
 * code here and nothing can end it (`spec/executors.md`, In a program and on Node).
 *
 * @module
 */

import { logValue } from "../base/redact.ts";
import { CallAbort } from "./call_abort.ts";
import type {
  BegunCall,
  CallEvents,
  Executor,
  ExecutorCall,
  ExecutorPermissions,
  ExecutorProblem,
} from "./executor.ts";
import { PackRunner, type PackRunnerOptions } from "./pack_runner.ts";

/** An {@link Executor} over a {@link PackRunner} in this process. */
export class InProcessExecutor implements Executor {
  /** None can be. */
  readonly lost = 0;
  readonly #runner: PackRunner;
  #prewarmed = false;

  /** Imports nothing before {@link InProcessExecutor.start}. */
  constructor(options: PackRunnerOptions) {
    this.#runner = new PackRunner(options);
  }

  /** Imports every module in turn. */
  async start(): Promise<readonly ExecutorProblem[]> {
    const problems = await this.#runner.prewarm();
    this.#prewarmed = problems.length === 0;
    return problems;
  }

  /** Whether every module was imported. */
  ready(): boolean {
    return this.#prewarmed;
  }

  /** Runs one call. */
  call(body: Uint8Array, events: CallEvents): ExecutorCall {
    const abort = new CallAbort();
    this.#runner.call(body, abort, {
      begun: (call: BegunCall) => {
        events.begun(call);
        return undefined;
      },
      named: (call) => events.begun(call),
      isolated: () => {},
      log: (level, message, fields) =>
        events.record({
          source: "tool",
          level,
          message,
          ...(fields === undefined
            ? {}
            : { fields: logValue(fields) as Record<string, unknown> }),
        }),
      answered: (answer) => events.answered(answer),
    });
    return abort;
  }

  /** None: this process has whatever it has. */
  permissions(): readonly ExecutorPermissions[] {
    return [];
  }

  /** Nothing to end. */
  stop(): Promise<void> {
    return Promise.resolve();
  }
}
