/**
 * Reading what an executor's process says. It runs pack code, so nothing that it sends is taken on trust: a payload of
 * any other shape ends it (`spec/executors.md`, Channel).
 *
 * @module
 */

import { isLogLevel } from "../base/log_settings.ts";
import { isRecord } from "../base/result.ts";
import type { BegunCall, ExecutorProblem, ExecutorRecord } from "./executor.ts";
import type { ExecutorBooted } from "./executor_boot.ts";
import { FrameError, readJsonPayload } from "./frames.ts";

/**
 * Reads the first frame from an executor.
 *
 * @throws {FrameError} If it is none.
 */
export function readBooted(payload: Uint8Array): ExecutorBooted {
  const value = readJsonPayload(payload);
  if (
    !isRecord(value) || typeof value.rssBytes !== "number" ||
    !Array.isArray(value.problems) || !value.problems.every(isProblem)
  ) throw unreadable("how it came up");
  return value as unknown as ExecutorBooted;
}

/**
 * Reads that a call has begun.
 *
 * @throws {FrameError} If it doesn't say so.
 */
export function readBegun(payload: Uint8Array): BegunCall {
  const value = readJsonPayload(payload);
  if (
    !isRecord(value) || value.target !== "tool" && value.target !== "check" ||
    typeof value.id !== "string" || !isText(value.version) ||
    !isRecord(value.ids) || !Object.values(value.ids).every(isText) ||
    value.cpuMs !== undefined && typeof value.cpuMs !== "number"
  ) throw unreadable("a call's beginning");
  return value as unknown as BegunCall;
}

/**
 * Reads a record of pack code.
 *
 * @throws {FrameError} If it is none.
 */
export function readRecord(payload: Uint8Array): ExecutorRecord {
  const value = readJsonPayload(payload);
  if (
    !isRecord(value) ||
    value.source !== "tool" && value.source !== "unhandled" ||
    !isLogLevel(value.level) || typeof value.message !== "string" ||
    value.fields !== undefined && !isRecord(value.fields)
  ) throw unreadable("a record");
  return value as unknown as ExecutorRecord;
}

/**
 * Reads the name of the executor that a call belongs to.
 *
 * @throws {FrameError} If it is none.
 */
export function readExecutorName(payload: Uint8Array): string {
  const value = readJsonPayload(payload);
  if (typeof value !== "string") throw unreadable("an executor's name");
  return value;
}

function isProblem(value: unknown): value is ExecutorProblem {
  return isRecord(value) && typeof value.message === "string" &&
    isText(value.toolId) && isText(value.checkId);
}

/** Whether a value that may be absent is text. */
function isText(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}

function unreadable(what: string): FrameError {
  return new FrameError(`Cannot read ${what}: it has the wrong shape`);
}
