/**
 * The pack service's transport: routes, admission, and what is told about each call. Pack code runs elsewhere, behind
 * the {@link Executor} contract; a request's body is never parsed here.
 *
 * @module
 */

import { STATUS_CODE } from "@std/http/status";
import { RollingMap } from "../base/rolling_map.ts";
import type { LogLevel } from "../base/log.ts";
import { jsonAnswer, messageAnswer, unavailableAnswer } from "./answers.ts";
import type {
  CallOutcome,
  PackEvent,
  PackServiceEvent,
  StatsEvent,
} from "./events.ts";
import type { ExecutorRecord } from "./executor.ts";
import { Invocation, type InvocationListener } from "./invocation.ts";
import { missingPackEnv } from "./pack_env.ts";
import { PACK_HEADERS, packError, type PackErrorMessage } from "./protocol.ts";
import { discardBody, readBody } from "./read_body.ts";
import {
  isEqualInConstantTime,
  isMethod,
  routeOf,
  timeoutOf,
} from "./request_facts.ts";
import { packInfo } from "./pack_info.ts";
import { nodeListener } from "./node_listener.ts";
import type {
  NodeRequestListener,
  PackService,
  TransportOptions,
} from "./service_types.ts";
import { Timeouts } from "./timeouts.ts";

/** How often `drain` looks whether calls are still under way, in ms. */
const DRAIN_POLL_MS = 10;
/** How long draining lets a body arrive whose call was admitted before, in ms. */
const DRAIN_BODY_MS = 250;

/** A {@link PackService} over any executor. */
export class TransportService implements PackService, InvocationListener {
  /** The same as a `node:http` request listener. */
  readonly handleNode: NodeRequestListener;
  readonly #options: TransportOptions;
  readonly #timeouts = new Timeouts();
  readonly #missingEnv: readonly string[];
  readonly #answered = new Map<CallOutcome, number>();
  /** The bodies that are being read. */
  readonly #reading = new RollingMap<number, () => void>();
  #inFlight = 0;
  #prewarmed = false;
  #draining = false;

  /** Looks at the environment once and tells what is missing; imports nothing. */
  constructor(options: TransportOptions) {
    this.#options = options;
    this.#missingEnv = missingPackEnv(options.index.env, options.env);
    this.handleNode = nodeListener((request) => this.handle(request));
    if (this.#missingEnv.length > 0) {
      const { envCheck: check } = options;
      this.#tell({ kind: "missing-env", check, names: this.#missingEnv });
    }
  }

  /** Answers one request. */
  async handle(request: Request): Promise<Response> {
    try {
      return await this.#route(request);
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown.message : String(thrown);
      return jsonAnswer(STATUS_CODE.InternalServerError, { error });
    }
  }

  /** Starts the executor. */
  async prewarm(): Promise<readonly PackErrorMessage[]> {
    const problems = await this.#options.executor.start();
    this.#prewarmed = problems.length === 0;
    return problems.map(({ message, ...target }) =>
      packError("handler-import-failed", message, target)
    );
  }

  /** Refuses new calls and waits for those under way. */
  async drain(graceMs: number): Promise<void> {
    this.#draining = true;
    const begun = performance.now();
    while (this.#inFlight > 0) {
      const passedMs = performance.now() - begun;
      if (passedMs >= Math.min(DRAIN_BODY_MS, graceMs)) {
        // A half-sent body isn't waited for: its call has not run.
        for (const endTime of this.#reading.values()) endTime();
      }
      if (passedMs >= graceMs) break;
      await new Promise((resolve) => setTimeout(resolve, DRAIN_POLL_MS));
    }
    this.#timeouts.rest();
  }

  /** How many calls are under way. */
  inFlight(): number {
    return this.#inFlight;
  }

  /** Whether a call that comes now would run. */
  ready(): boolean {
    return this.#unready() === undefined;
  }

  /** How calls have ended so far. */
  stats(): Omit<StatsEvent, "executorsLost"> {
    return {
      kind: "stats",
      calls: Object.fromEntries(this.#answered),
      inFlight: this.#inFlight,
    };
  }

  #route(request: Request): Response | Promise<Response> {
    const route = routeOf(request.url);
    if (route === undefined) {
      const error = `There is nothing at ${request.url}`;
      return this.#refuse(request, STATUS_CODE.NotFound, { error });
    }
    const method = route === "invoke" ? "POST" : "GET";
    if (!isMethod(request.method, method)) {
      const error = `Use ${method} here, not ${request.method}`;
      return this.#refuse(request, STATUS_CODE.MethodNotAllowed, { error }, {
        allow: method,
      });
    }
    if (route === "healthz") {
      return jsonAnswer(STATUS_CODE.OK, { status: "ok" });
    }
    if (route === "readyz") {
      const reason = this.#unready();
      return reason === undefined
        ? jsonAnswer(STATUS_CODE.OK, { status: "ready" })
        : unavailableAnswer(reason);
    }
    if (!this.#isAuthorized(request)) {
      const error =
        `Send the service's token in the ${PACK_HEADERS.token} header`;
      return this.#refuse(request, STATUS_CODE.Unauthorized, { error });
    }
    if (route === "info") {
      const { index } = this.#options;
      return jsonAnswer(STATUS_CODE.OK, packInfo(index, this.#missingEnv));
    }
    return this.#invoke(request);
  }

  async #invoke(request: Request): Promise<Response> {
    const reason = this.#unready() ?? this.#overloaded();
    if (reason !== undefined) {
      await discardBody(request, this.#timeouts);
      return unavailableAnswer(reason);
    }
    const contentType = request.headers.get("content-type") ?? "";
    if (!contentType.toLowerCase().includes("application/json")) {
      const error = "Send the call as application/json";
      return this.#refuse(request, STATUS_CODE.UnsupportedMediaType, { error });
    }
    const admittedAt = performance.now();
    this.#inFlight++;
    const body = await readBody(request, {
      maxBytes: this.#options.maxBodyBytes,
      timeoutMs: this.#options.bodyTimeoutMs,
      timeouts: this.#timeouts,
      now: admittedAt,
      reading: this.#reading,
    });
    if (body.kind !== "read") {
      this.#inFlight--;
      return this.#bodyRefused(body.kind);
    }
    const { executor, defaultTimeoutMs, index } = this.#options;
    const invocation = new Invocation({
      executor,
      body: body.bytes,
      timeoutMs: timeoutOf(request.headers.get(PACK_HEADERS.timeoutMs)) ??
        defaultTimeoutMs,
      traceparent: () => request.headers.get(PACK_HEADERS.traceparent),
      gone: () => request.signal,
      timeouts: this.#timeouts,
      admittedAt,
      listener: this,
    });
    const message = await invocation.message;
    return messageAnswer(
      message,
      index.artifactVersion,
      Math.round(performance.now() - admittedAt),
    );
  }

  /** From a call: it has its answer. */
  ended(invocation: Invocation, outcome: CallOutcome): void {
    this.#inFlight--;
    this.#answered.set(outcome, (this.#answered.get(outcome) ?? 0) + 1);
    const { called } = invocation;
    if (called === undefined) return;
    const { target, id } = called;
    const durationMs = Math.round(performance.now() - invocation.admittedAt);
    this.#tell(
      { kind: "call", target, id, durationMs, outcome },
      invocation,
    );
  }

  /** From a call: its handler settled after its answer. */
  finishedLate(invocation: Invocation, afterMs: number): void {
    const { called } = invocation;
    if (called === undefined) return;
    const { target, id } = called;
    this.#tell(
      { kind: "handler-finished-late", target, id, afterMs },
      invocation,
    );
  }

  /** From a call: a line of its tool. */
  recorded(invocation: Invocation, record: ExecutorRecord): void {
    this.#options.records?.tool(record, invocation.correlation());
  }

  /** Writes an event that isn't about one call. */
  tell(event: PackEvent): void {
    this.#options.records?.event(event);
  }

  #tell(event: PackServiceEvent, invocation?: Invocation): void {
    const { logger, records } = this.#options;
    logger?.(event);
    if (records === undefined) return;
    const level: LogLevel = event.kind === "call" && event.outcome === "ok"
      ? "info"
      : "warn";
    if (!records.enabled(level)) return;
    records.event(event, invocation?.correlation());
  }

  /** The body of the 503 that a call would get, or `undefined`; in the order of `spec/handler_runtime.md` 3.1. */
  #unready(): object | undefined {
    if (this.#draining) return { error: "draining" };
    if (this.#missingEnv.length > 0 && this.#options.envCheck === "strict") {
      return { error: "missing env", missingEnv: this.#missingEnv };
    }
    if (!this.#prewarmed || !this.#options.executor.ready()) {
      return { error: "not ready" };
    }
    return undefined;
  }

  #overloaded(): object | undefined {
    return this.#inFlight >= this.#options.maxConcurrency
      ? { error: "overloaded" }
      : undefined;
  }

  #isAuthorized(request: Request): boolean {
    const given = request.headers.get(PACK_HEADERS.token);
    return given !== null && isEqualInConstantTime(given, this.#options.token);
  }

  #bodyRefused(kind: "too-large" | "timeout" | "broken"): Response {
    if (kind === "too-large") {
      const error =
        `The body is longer than ${this.#options.maxBodyBytes} bytes`;
      return jsonAnswer(STATUS_CODE.ContentTooLarge, { error });
    }
    if (kind === "timeout" && this.#draining) {
      return unavailableAnswer({ error: "draining" });
    }
    const error = kind === "timeout"
      ? `The body did not arrive within ${this.#options.bodyTimeoutMs} ms`
      : "The body broke off";
    return jsonAnswer(STATUS_CODE.RequestTimeout, { error }, {
      connection: "close",
    });
  }

  async #refuse(
    request: Request,
    status: number,
    body: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    await discardBody(request, this.#timeouts);
    return jsonAnswer(status, body, headers);
  }
}
