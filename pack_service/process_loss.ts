/**
 * What an executor's process tells about its calls and its end.
 *
 * @module
 */

import type { ProcessEnd } from "../base/platform.ts";
import type { ExecutorLostReason } from "./events.ts";
import type {
  BegunCall,
  CallAnswer,
  ExecutorProblem,
  ExecutorRecord,
} from "./executor.ts";

/** A call on its way through executors. */
export interface SentCall {
  /** The request's bytes. */
  readonly body: Uint8Array;
  /** Pack code is about to run. */
  begun(call: BegunCall): void;
  /** It belongs to the named executor of its own; answers whether that can be. */
  isolated(executor: string): boolean;
  /** A line of the tool. */
  record(record: ExecutorRecord): void;
  /** Its answer. */
  answered(answer: CallAnswer): void;
  /** Its executor was lost after it had begun: it may have run. */
  lost(reason: ExecutorLostReason): void;
}

/** Who hears of a process. */
export interface ProcessListener {
  /** It has imported everything, or could not. */
  booted(problems: readonly ExecutorProblem[]): void;
  /** It hasn't answered for a while; told again and again until it does. */
  silent(): void;
  /** It answers again after a silence. */
  answering(): void;
  /** A call has its answer. */
  answered(): void;
  /** A record that belongs to no call. */
  record(record: ExecutorRecord): void;
  /** It has ended; its calls that had begun have been told. */
  ended(end: ProcessLoss): void;
}

/** How a process was lost. */
export interface ProcessLoss {
  /** Why, as far as can be told. */
  readonly reason: ExecutorLostReason;
  /** How the operating system says that it ended. */
  readonly exit: ProcessEnd;
  /** How many calls had begun. */
  readonly begun: number;
  /** The calls that never began and are still wanted. */
  readonly waiting: readonly SentCall[];
  /** The last that it said on standard error. */
  readonly lastWords: string;
}

/** V8 traps when its heap is full; the code of a process that a trap ended is 128 + 5. */
export function lossReason(
  exit: ProcessEnd,
  lastWords: string,
): ExecutorLostReason {
  const full = /heap (limit|out of memory)|out of memory/i.test(lastWords);
  if (
    (exit.code === 133 || exit.signal === "SIGTRAP" ||
      exit.signal === "SIGABRT") && full
  ) return "out-of-memory";
  if (exit.signal === "SIGKILL") return "killed";
  return exit.signal === undefined && exit.code !== 133 ? "exited" : "crashed";
}
