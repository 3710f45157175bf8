/**
 * The contract between the service, which owns transport, deadlines and records, and what runs pack code.
 *
 * There are two: in process (a program, or Node), and child processes under Deno's permissions (the front).
 *
 * @module
 */

import type { LogLevel } from "../base/log.ts";
import type { ExecutorPermissions } from "./events.ts";
import type { PackErrorCode } from "./protocol.ts";

export type { ExecutorPermissions } from "./events.ts";

/** What an admitted call turned out to be: said just before its pack code runs, or its answer when none runs. */
export interface BegunCall {
  /** Whether a tool or a check is called. */
  readonly target: "tool" | "check";
  /** The id that the caller named. */
  readonly id: string;
  /** The tool's version that was found. */
  readonly version?: string;
  /** The caller's correlation ids: those that are non-empty strings. */
  readonly ids: CallIds;
  /** CPU time of the executor's process at that moment in ms; only where a CPU limit holds. */
  readonly cpuMs?: number;
}

/** The ids of a tool call's context that records carry. A check has none. */
export interface CallIds {
  /** `ctx.tenantId`. */
  readonly tenantId?: string;
  /** `ctx.projectId`. */
  readonly projectId?: string;
  /** `ctx.orgId`. */
  readonly orgId?: string;
  /** `ctx.runId`. */
  readonly runId?: string;
  /** `ctx.requestId`. */
  readonly requestId?: string;
}

/** How a call ended. */
export interface CallAnswer {
  /** `ok`, or the protocol's code. */
  readonly outcome: "ok" | PackErrorCode;
  /** The response message, as JSON bytes. */
  readonly message: Uint8Array;
  /** Whether the executor was lost, so that nothing is known about the call. */
  readonly lost?: true;
}

/** A line that a tool wrote with `ctx.log`, or what went wrong in pack code outside a call. */
export interface ExecutorRecord {
  /** Where it comes from. */
  readonly source: "tool" | "unhandled";
  /** How grave it is. */
  readonly level: LogLevel;
  /** What it says. */
  readonly message: string;
  /** Further fields, as JSON. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** What a call tells its caller, in this order: `begun` at most once, records, `answered` exactly once. */
export interface CallEvents {
  /** Pack code is about to run, or the call named something that isn't there. */
  begun(call: BegunCall): void;
  /** A record of the tool. */
  record(record: ExecutorRecord): void;
  /** The answer; also when the caller has stopped waiting. */
  answered(answer: CallAnswer): void;
}

/** Why a running call isn't wanted any more. */
export type AbortReason = "deadline-exceeded" | "cancelled";

/** A call that is under way. */
export interface ExecutorCall {
  /** Fires the handler's abort signal. The answer still comes, when the handler settles. */
  abort(reason: AbortReason): void;
}

/** Runs a pack's calls. */
export interface Executor {
  /** Imports everything; answers the problems, none when it is ready for calls. Called once. */
  start(): Promise<readonly ExecutorProblem[]>;
  /** Whether a call that comes now would run. */
  ready(): boolean;
  /** Runs one call, given as the request's bytes. */
  call(body: Uint8Array, events: CallEvents): ExecutorCall;
  /** How many executors were lost so far. */
  readonly lost: number;
  /** What each executor may reach; empty where permissions can't be held (in process). */
  permissions(): readonly ExecutorPermissions[];
  /** Ends it; calls under way are answered as lost. */
  stop(): Promise<void>;
}

/** A module that could not be imported at boot. */
export interface ExecutorProblem {
  /** `<id>: <reason>`. */
  readonly message: string;
  /** The tool, where it is one. */
  readonly toolId?: string;
  /** The check, where it is one. */
  readonly checkId?: string;
}
