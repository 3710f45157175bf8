/**
 * What the front and an executor's process say to each other around calls: the shapes of the JSON frames.
 *
 * @module
 */

import type { LogLevel } from "../base/log.ts";
import type { PermissionSource } from "./denials.ts";
import type { CallAnswer, ExecutorProblem } from "./executor.ts";
import type { RunnerCheck, RunnerTool } from "./pack_runner.ts";
import { PACK_ERROR_CODES } from "./protocol.ts";

/** The first frame to an executor. */
export interface ExecutorBoot {
  /** Every tool; those with `isolated` run elsewhere. */
  readonly tools: readonly RunnerTool[];
  /** Every check; those with `isolated` run elsewhere. */
  readonly checks: readonly RunnerCheck[];
  /** Longest answer in bytes. */
  readonly maxOutputBytes: number;
  /** The least grave `ctx.log` level that is written. */
  readonly logLevel: LogLevel;
  /** What a denied permission's message ends with. */
  readonly permissionSource: PermissionSource;
  /** Where limits hold: the mark of the guard's reports on standard error. */
  readonly guardMark?: string;
}

/** The first frame from an executor. */
export interface ExecutorBooted {
  /** The modules that could not be imported. */
  readonly problems: readonly ExecutorProblem[];
  /** Resident memory in bytes with everything imported. */
  readonly rssBytes: number;
}

/** A call's outcome as the first byte of an answer: 0 is `ok`, then the protocol's codes in their order. */
export function answerPayload(answer: CallAnswer): Uint8Array {
  const payload = new Uint8Array(answer.message.length + 1);
  payload[0] = answer.outcome === "ok"
    ? 0
    : PACK_ERROR_CODES.indexOf(answer.outcome) + 1;
  payload.set(answer.message, 1);
  return payload;
}

/** Reads an answer; `undefined` when the outcome is none of the protocol's. */
export function readAnswerPayload(payload: Uint8Array): CallAnswer | undefined {
  const number = payload[0];
  if (number === undefined) return undefined;
  const outcome = number === 0 ? "ok" : PACK_ERROR_CODES[number - 1];
  if (outcome === undefined) return undefined;
  return { outcome, message: payload.subarray(1) };
}

/** How often the guard reports, in ms. */
export const GUARD_INTERVAL_MS = 100;

/** What stands before and after a guard's report: a byte that text doesn't hold. */
export const GUARD_SEPARATOR = "\x1e";

/** What a process uses, as its guard reports it. */
export interface GuardReport {
  /** CPU time of the whole process so far, in ms. */
  readonly cpuMs: number;
  /** Resident memory in bytes. */
  readonly rssBytes: number;
}
