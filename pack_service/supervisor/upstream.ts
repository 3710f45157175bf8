/**
 * The connections to one child: kept open between calls, and exact about whether a call can have run.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { connect, type Socket } from "node:net";
import { Timeouts } from "../timeouts.ts";
import { type HttpAnswer, HttpAnswerReader } from "./http_answer.ts";

/** Idle connections kept for later calls. */
const MAX_IDLE = 64;

/**
 * How long an idle connection is used again, in milliseconds.
 *
 * Servers close idle connections after a few seconds. A request written just then gets no answer and can't be told from
 * one that ran, so a connection is given up well before any server would.
 */
const MAX_IDLE_MS = 1_000;

/**
 * How long a call lasts before a caller's lazy signal is asked for, in milliseconds.
 *
 * Making the signal of a request costs as much as relaying it, and a call that is answered at once never needs it.
 */
const SIGNAL_AFTER_MS = 50;

/** Fires when a caller is gone; given as a function it is asked for only when a call takes a while. */
export type CallerSignal = AbortSignal | (() => AbortSignal);

/** One request to a child. */
export interface UpstreamRequest {
  /** Request line and headers, up to and including the empty line. */
  readonly head: string;
  /** The body, if any; its length stands in the head. */
  readonly body: Uint8Array | undefined;
  /** Fires when the caller is gone: the connection is closed, so that the child sees it. */
  readonly signal: CallerSignal | undefined;
}

/** How a request went. */
export type UpstreamOutcome =
  /** The child answered. */
  | { readonly kind: "answer"; readonly answer: HttpAnswer }
  /** Nothing was sent, since no connection came about: the call did not run. */
  | { readonly kind: "unreachable"; readonly reason: string }
  /** The connection broke after something was sent: the call may have run. */
  | { readonly kind: "broken"; readonly reason: string }
  /** The caller went away. */
  | { readonly kind: "cancelled" };

/** A child's port and the connections to it. */
export class Upstream {
  readonly #port: number;
  readonly #idle: {
    readonly connection: Connection;
    readonly since: number;
  }[] = [];
  readonly #open = new Set<Connection>();
  readonly #timeouts = new Timeouts();
  #inFlight = 0;
  #retired = false;
  #whenQuiet: (() => void) | undefined;

  /** Connects to `port` on 127.0.0.1 when there is something to send. */
  constructor(port: number) {
    this.#port = port;
  }

  /** Requests that are on their way or being answered. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Sends a request and waits for the answer. Never rejects. */
  async send(request: UpstreamRequest): Promise<UpstreamOutcome> {
    this.#inFlight++;
    try {
      return await this.#send(request);
    } finally {
      if (--this.#inFlight === 0) this.#whenQuiet?.();
    }
  }

  /** No new request will come: closes idle connections, and busy ones once they have answered. */
  retire(): void {
    this.#retired = true;
    for (const { connection } of this.#idle.splice(0)) connection.close();
  }

  /** Resolves when nothing is in flight, and after `ms` anyway. */
  quiet(ms: number): Promise<void> {
    if (this.#inFlight === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#whenQuiet = undefined;
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#whenQuiet = done;
    });
  }

  /** Breaks every connection off: the child is gone. */
  close(): void {
    this.retire();
    for (const connection of this.#open) connection.close();
    this.#timeouts.rest();
  }

  async #send(request: UpstreamRequest): Promise<UpstreamOutcome> {
    const { signal } = request;
    if (typeof signal === "object" && signal.aborted) {
      return { kind: "cancelled" };
    }
    const kept = this.#reuse();
    const connection = kept ?? this.#connect();
    const unwatch = this.#watch(signal, () => connection.cancel());
    const problem = kept === undefined ? await connection.opened() : undefined;
    const outcome = problem ?? await connection.exchange(request);
    unwatch();
    const reusable = outcome.kind === "answer" && outcome.answer.reusable;
    if (!reusable || this.#retired || !connection.ready) connection.close();
    else this.#keep(connection);
    return outcome;
  }

  #connect(): Connection {
    const connection = new Connection(
      this.#port,
      () => this.#open.delete(connection),
    );
    this.#open.add(connection);
    return connection;
  }

  /** Calls `gone` when the caller leaves; answers how to stop watching. */
  #watch(signal: CallerSignal | undefined, gone: () => void): () => void {
    if (signal === undefined) return () => {};
    if (typeof signal === "object") {
      signal.addEventListener("abort", gone);
      return () => signal.removeEventListener("abort", gone);
    }
    let unwatch: (() => void) | undefined;
    const timeout = this.#timeouts.start(SIGNAL_AFTER_MS, () => {
      const asked = signal();
      if (asked.aborted) return gone();
      unwatch = this.#watch(asked, gone);
    });
    return () => {
      timeout.cancel();
      unwatch?.();
    };
  }

  /** The connection used last, if it is still good; older ones are given up with it. */
  #reuse(): Connection | undefined {
    for (;;) {
      const last = this.#idle.pop();
      if (last === undefined) return undefined;
      const stale = performance.now() - last.since > MAX_IDLE_MS;
      if (!stale && last.connection.ready) return last.connection;
      last.connection.close();
    }
  }

  #keep(connection: Connection): void {
    if (this.#idle.length === MAX_IDLE) this.#idle.shift()?.connection.close();
    this.#idle.push({ connection, since: performance.now() });
  }
}

/** One connection; one request at a time. */
class Connection {
  readonly #socket: Socket;
  #problem: string | undefined;
  #reader: HttpAnswerReader | undefined;
  #settle: ((outcome: UpstreamOutcome) => void) | undefined;

  constructor(port: number, whenClosed: () => void) {
    const socket = this.#socket = connect({ port, host: "127.0.0.1" });
    socket.setNoDelay(true);
    socket.on("data", (bytes: Uint8Array) => this.#take(bytes));
    socket.on("end", () => this.#end("the connection was closed"));
    socket.on("error", (error) => this.#end(error.message));
    socket.on("close", () => {
      this.#end("the connection was closed");
      whenClosed();
    });
  }

  /** Whether a request can be sent: open, and everything of the last one is on its way. */
  get ready(): boolean {
    return this.#problem === undefined && this.#socket.writableLength === 0;
  }

  close(): void {
    this.#problem ??= "the connection was given up";
    this.#socket.destroy();
  }

  /** The caller is gone: the child sees the connection close. */
  cancel(): void {
    this.close();
    this.#finish({ kind: "cancelled" });
  }

  /** Waits until the connection stands; what to answer when it doesn't. */
  opened(): Promise<UpstreamOutcome | undefined> {
    return new Promise((resolve) => {
      this.#settle = (outcome) =>
        resolve(
          outcome.kind === "broken"
            ? { kind: "unreachable", reason: outcome.reason }
            : outcome,
        );
      this.#socket.once("connect", () => {
        this.#settle = undefined;
        resolve(undefined);
      });
    });
  }

  exchange(request: UpstreamRequest): Promise<UpstreamOutcome> {
    if (this.#problem !== undefined) {
      // It ended between opening and now: nothing was written.
      return Promise.resolve({ kind: "unreachable", reason: this.#problem });
    }
    return new Promise((resolve) => {
      this.#reader = new HttpAnswerReader();
      this.#settle = resolve;
      this.#write(request);
    });
  }

  #write({ head, body }: UpstreamRequest): void {
    if (body === undefined) {
      this.#socket.write(head, "latin1");
      return;
    }
    // One write, one system call: the head is small and copying the body costs less than a second call.
    const bytes = Buffer.allocUnsafe(head.length + body.length);
    bytes.write(head, "latin1");
    bytes.set(body, head.length);
    this.#socket.write(bytes);
  }

  #take(bytes: Uint8Array): void {
    if (this.#reader === undefined) {
      this.#problem ??= "the pack service sent bytes that nobody asked for";
      this.#socket.destroy();
      return;
    }
    try {
      const answer = this.#reader.feed(bytes);
      if (answer !== undefined) this.#finish({ kind: "answer", answer });
    } catch (error) {
      this.#end(`the pack service's answer is not HTTP: ${messageOf(error)}`);
      this.#socket.destroy();
    }
  }

  #end(reason: string): void {
    this.#problem ??= reason;
    const answer = this.#reader?.end();
    this.#finish(
      answer === undefined
        ? { kind: "broken", reason }
        : { kind: "answer", answer },
    );
  }

  #finish(outcome: UpstreamOutcome): void {
    const settle = this.#settle;
    this.#reader = undefined;
    this.#settle = undefined;
    settle?.(outcome);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
