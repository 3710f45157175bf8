/**
 * One executor process, from its start to its end: its channel, its calls, whether it answers, and its limits.
 *
 * @module
 */

import type {
  ByteConnection,
  ProcessEnd,
  SpawnedProcess,
} from "../base/platform.ts";
import type { ExecutorLostReason } from "./events.ts";
import type { AbortReason } from "./executor.ts";
import { type GuardReport, readAnswerPayload } from "./executor_boot.ts";
import {
  readBegun,
  readBooted,
  readExecutorName,
  readRecord,
} from "./executor_messages.ts";
import {
  type Frame,
  FrameError,
  FrameReader,
  FrameType,
  FrameWriter,
  jsonPayload,
} from "./frames.ts";
import { LimitWatch } from "./limit_watch.ts";
import { overCpuLimit } from "./lost_answers.ts";
import { OpenCalls } from "./open_calls.ts";
import {
  lossReason,
  type ProcessListener,
  type SentCall,
} from "./process_loss.ts";
import type { LimitsDeclaration } from "./sandbox.ts";

/** How often the process is asked whether it answers, while it has calls, in ms. */
const PING_INTERVAL_MS = 100;
/** Nothing new is sent to a process that hasn't answered for this long, in ms. */
export const SILENT_AFTER_MS = 250;
/** A process that hasn't answered this long after a call's deadline is killed, in ms. */
const KILL_AFTER_MS = 2_000;
/** How long a process may take to leave when it is told to, in ms. */
const LEAVE_WITHIN_MS = 500;
/** How long the last of its output is waited for, in ms: a program that pack code started may hold the streams open. */
const LAST_OUTPUT_MS = 500;

/** A running executor process. */
export class ExecutorProcess {
  readonly #process: SpawnedProcess;
  readonly #connection: ByteConnection;
  readonly #listener: ProcessListener;
  /** Of a process with limits. */
  readonly #watch: LimitWatch | undefined;
  readonly #writer: FrameWriter;
  readonly #reader: FrameReader;
  readonly #calls = new OpenCalls();
  #pingSentAt: number | undefined;
  #pinger: ReturnType<typeof setInterval> | undefined;
  #killReason: ExecutorLostReason | undefined;
  #booted = false;
  #lastWords = "";
  #stopping = false;
  #ended = false;

  /** Takes over a started process whose channel is connected; `boot` is its first frame. */
  constructor(
    process: SpawnedProcess,
    connection: ByteConnection,
    boot: Uint8Array,
    options: {
      readonly listener: ProcessListener;
      readonly limits: LimitsDeclaration | undefined;
      readonly maxAnswerBytes: number;
      /** Settles when everything that it printed was passed on. */
      readonly printed: Promise<void>;
    },
  ) {
    this.#process = process;
    this.#connection = connection;
    this.#listener = options.listener;
    this.#watch = options.limits &&
      new LimitWatch(options.limits, () => this.kill("killed"));
    this.#reader = new FrameReader(options.maxAnswerBytes);
    this.#writer = new FrameWriter(connection, () => {});
    this.#writer.sendNow(FrameType.boot, 0, boot);
    const channel = this.#readFrames();
    Promise.all([process.ended, channel]).then(async ([exit]) => {
      await withinTime(options.printed, LAST_OUTPUT_MS);
      this.#lost(exit);
    });
  }

  /** How many calls it has. */
  get load(): number {
    return this.#calls.size;
  }

  /** Whether it hasn't answered for so long that nothing new is sent to it. */
  silent(): boolean {
    return this.silentMs() >= SILENT_AFTER_MS;
  }

  /** How many calls were sent to it that have neither begun nor been given up. */
  get waiting(): number {
    return this.#calls.waiting().length;
  }

  /** For how long it hasn't answered, in ms. */
  silentMs(): number {
    return this.#pingSentAt === undefined
      ? 0
      : performance.now() - this.#pingSentAt;
  }

  /** Sends a call. */
  send(call: SentCall): void {
    const { id } = this.#calls.open(call);
    this.#writer.send(FrameType.call, id, call.body);
    this.#pinger ??= setInterval(() => this.#tick(), PING_INTERVAL_MS);
  }

  /** Ends the interest in a call; its answer is still passed on when it comes. */
  abort(call: SentCall, reason: AbortReason): void {
    const open = this.#calls.find(call);
    if (open === undefined) return;
    this.#writer.send(FrameType.abort, open.id, jsonPayload(reason));
    this.#ping();
    open.abandonedAt = performance.now();
  }

  /** Remembers what it said last on standard error, for when it ends. */
  said(text: string): void {
    this.#lastWords = `${this.#lastWords}${text}`.slice(-2_000);
  }

  /** From the guard: what the process uses now. */
  used(report: GuardReport): void {
    // One that has ended may have said more than was read by then.
    if (this.#ended) return;
    if (this.#watch?.reported(report)) return this.kill("out-of-memory");
    const limit = this.#watch?.cpuMs;
    if (limit === undefined) return;
    for (
      const { call, begun } of this.#calls.closeOverLimit(report.cpuMs, limit)
    ) {
      if (begun !== undefined) call.answered(overCpuLimit(begun, limit));
      this.kill("killed");
    }
  }

  /** Ends the process at once. */
  kill(reason: ExecutorLostReason): void {
    this.#killReason ??= reason;
    this.#process.kill("SIGKILL");
  }

  /** Closes the channel, upon which the process leaves, and kills it when it doesn't. */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearInterval(this.#pinger);
    this.#writer.send(FrameType.stop, 0);
    await withinTime(this.#process.ended, LEAVE_WITHIN_MS);
    this.#process.kill("SIGKILL");
    await this.#process.ended;
  }

  #ping(): void {
    if (this.#pingSentAt !== undefined) return;
    this.#pingSentAt = performance.now();
    this.#writer.send(FrameType.ping, 0);
  }

  #tick(): void {
    if (this.#calls.size === 0 && !this.silent()) {
      clearInterval(this.#pinger);
      this.#pinger = undefined;
      return;
    }
    this.#ping();
    if (this.silent()) this.#listener.silent();
    const since = this.#pingSentAt;
    if (since === undefined || this.silentMs() < KILL_AFTER_MS) return;
    if (this.#calls.isHeldUp(since, KILL_AFTER_MS)) this.kill("killed");
  }

  async #readFrames(): Promise<void> {
    try {
      for (;;) {
        const count = await this.#connection.read(this.#reader.space());
        if (count === null) return;
        const wasSilent = this.silent();
        this.#pingSentAt = undefined;
        for (const frame of this.#reader.received(count)) this.#take(frame);
        if (wasSilent) this.#listener.answering();
      }
    } catch (error) {
      if (error instanceof FrameError) this.kill("protocol");
    } finally {
      try {
        this.#connection.close();
      } catch {
        // It was closed by the other end.
      }
      // Without a channel it can't do anything any more.
      if (!this.#stopping) this.#expectEnd();
    }
  }

  /** A process whose channel is closed has ended or is about to; one that isn't is made to. */
  #expectEnd(): void {
    const timer = setTimeout(() => this.kill("crashed"), 1_000);
    this.#process.ended.then(() => clearTimeout(timer));
  }

  #take({ type, id, payload }: Frame): void {
    switch (type) {
      case FrameType.pong:
        return;
      case FrameType.booted: {
        if (this.#booted) {
          throw new FrameError("Cannot take a process as booted twice");
        }
        this.#booted = true;
        const booted = readBooted(payload);
        this.#watch?.booted(booted.rssBytes);
        return this.#listener.booted(booted.problems);
      }
      case FrameType.record: {
        const record = readRecord(payload);
        const call = this.#calls.get(id)?.call;
        if (call === undefined) return this.#listener.record(record);
        return call.record(record);
      }
      case FrameType.begun: {
        const open = this.#calls.get(id);
        if (open === undefined) return;
        if (open.begun !== undefined) {
          throw new FrameError("Cannot begin a call twice");
        }
        const begun = readBegun(payload);
        open.begun = this.#watch?.begun(begun) ?? begun;
        return open.call.begun(open.begun);
      }
      case FrameType.isolated: {
        const open = this.#calls.close(id);
        const name = readExecutorName(payload);
        if (open === undefined || open.call.isolated(name)) return;
        throw new FrameError(
          `Cannot hand a call on: there is no executor ${name} for it`,
        );
      }
      case FrameType.answer: {
        const open = this.#calls.close(id);
        const answer = readAnswerPayload(payload);
        if (answer === undefined) {
          throw new FrameError("Cannot read an answer: its outcome is unknown");
        }
        open?.call.answered(answer);
        return this.#listener.answered();
      }
      default:
        throw new FrameError(`Cannot read a frame of the unknown type ${type}`);
    }
  }

  #lost(exit: ProcessEnd): void {
    this.#ended = true;
    this.#watch?.stop();
    clearInterval(this.#pinger);
    const reason = this.#killReason ?? lossReason(exit, this.#lastWords);
    const waiting = this.#calls.waiting().map(({ call }) => call);
    const begun = this.#calls.closeAll().filter((open) =>
      open.begun !== undefined
    );
    for (const { call } of begun) call.lost(reason);
    this.#listener.ended({
      reason,
      exit,
      begun: begun.length,
      waiting,
      lastWords: this.#lastWords,
    });
  }
}

/** Waits for something to settle, but not for longer than `ms`. */
async function withinTime(what: Promise<unknown>, ms: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise((resolve) => timer = setTimeout(resolve, ms));
  await Promise.race([what, late]);
  clearTimeout(timer);
}
