/**
 * What a pack service is, and what it is made from.
 *
 * @module
 */

import type { PackServiceEvent } from "./events.ts";
import type { Executor } from "./executor.ts";
import type { PackIndex } from "./pack_index.ts";
import type { PackErrorMessage } from "./protocol.ts";
import type { PackRecords } from "./records.ts";

/** A pack's service: answers requests and runs calls. */
export interface PackService {
  /** Answers one request. Never rejects. */
  handle(request: Request): Promise<Response>;
  /** The same as a `node:http` request listener. */
  readonly handleNode: NodeRequestListener;
  /** Imports every module; answers one error for each that failed. Calls are taken once there was none. */
  prewarm(): Promise<readonly PackErrorMessage[]>;
  /** Refuses new calls at once and waits up to `graceMs` for those under way. */
  drain(graceMs: number): Promise<void>;
  /** How many calls are under way. */
  inFlight(): number;
  /** Whether a call that comes now would run. */
  ready(): boolean;
}

/** A `node:http` request listener, without naming Node's types. */
export type NodeRequestListener = (
  request: unknown,
  response: unknown,
) => void;

/** What {@link TransportService} needs. */
export interface TransportOptions {
  /** The pack's index. */
  readonly index: PackIndex;
  /** The secret that callers send. */
  readonly token: string;
  /** Runs the calls. */
  readonly executor: Executor;
  /** Most calls under way at once. */
  readonly maxConcurrency: number;
  /** Longest request body in bytes. */
  readonly maxBodyBytes: number;
  /** Longest time in ms that a body may take to arrive. */
  readonly bodyTimeoutMs: number;
  /** Deadline in ms of a call that names none. */
  readonly defaultTimeoutMs: number;
  /** The environment in which required names are looked up. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether missing names refuse calls (`strict`) or are only told (`warn`). */
  readonly envCheck: "strict" | "warn";
  /** Hears of calls and missing names. */
  readonly logger?: ((event: PackServiceEvent) => void) | undefined;
  /** Writes records. */
  readonly records?: PackRecords | undefined;
}
