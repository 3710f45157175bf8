/**
 * The connections to one child: kept open between calls, and exact about whether a call can have run.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { connect, type Socket } from "node:net";
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

/** One request to a child. */
export interface UpstreamRequest {
  /** Request line and headers, up to and including the empty line. */
  readonly head: string;
  /** The body, if any; its length stands in the head. */
  readonly body: Uint8Array | undefined;
  /** Fires when the caller is gone: the connection is closed, so that the child sees it. */
  readonly signal: AbortSignal | undefined;
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
  }

  async #send(request: UpstreamRequest): Promise<UpstreamOutcome> {
    if (request.signal?.aborted) return { kind: "cancelled" };
    let connection = this.#reuse();
    if (connection === undefined) {
      connection = new Connection(this.#port);
      const opened = connection;
      this.#open.add(opened);
      opened.whenClosed(() => this.#open.delete(opened));
      const problem = await opened.opened(request.signal);
      if (problem !== undefined) return problem;
    }
    const outcome = await connection.exchange(request);
    const reusable = outcome.kind === "answer" && outcome.answer.reusable;
    if (!reusable || this.#retired || !connection.ready) connection.close();
    else this.#keep(connection);
    return outcome;
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
  #whenClosed: (() => void) | undefined;

  constructor(port: number) {
    const socket = this.#socket = connect({ port, host: "127.0.0.1" });
    socket.setNoDelay(true);
    socket.on("data", (bytes: Uint8Array) => this.#take(bytes));
    socket.on("end", () => this.#end("the connection was closed"));
    socket.on("error", (error) => this.#end(error.message));
    socket.on("close", () => {
      this.#end("the connection was closed");
      this.#whenClosed?.();
    });
  }

  /** Whether a request can be sent: open, and everything of the last one is on its way. */
  get ready(): boolean {
    return this.#problem === undefined && this.#socket.writableLength === 0;
  }

  whenClosed(callback: () => void): void {
    this.#whenClosed = callback;
  }

  close(): void {
    this.#problem ??= "the connection was given up";
    this.#socket.destroy();
  }

  /** Waits until the connection stands; what to answer when it doesn't. */
  opened(
    signal: AbortSignal | undefined,
  ): Promise<UpstreamOutcome | undefined> {
    return new Promise((resolve) => {
      const cancel = (): void => {
        this.close();
        done({ kind: "cancelled" });
      };
      const done = (outcome: UpstreamOutcome | undefined): void => {
        signal?.removeEventListener("abort", cancel);
        this.#settle = undefined;
        resolve(outcome);
      };
      signal?.addEventListener("abort", cancel);
      this.#socket.once("connect", () => done(undefined));
      this.#settle = (outcome) => {
        const reason = outcome.kind === "broken" ? outcome.reason : "";
        done({ kind: "unreachable", reason });
      };
    });
  }

  exchange(request: UpstreamRequest): Promise<UpstreamOutcome> {
    return new Promise((resolve) => {
      const cancel = (): void => {
        this.close();
        this.#finish({ kind: "cancelled" });
      };
      if (request.signal?.aborted) {
        this.close();
        return resolve({ kind: "cancelled" });
      }
      if (this.#problem !== undefined) {
        // It closed between opening and now: nothing was written.
        return resolve({ kind: "unreachable", reason: this.#problem });
      }
      request.signal?.addEventListener("abort", cancel);
      this.#reader = new HttpAnswerReader();
      this.#settle = (outcome) => {
        request.signal?.removeEventListener("abort", cancel);
        resolve(outcome);
      };
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
