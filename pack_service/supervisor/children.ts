/**
 * The children of a supervisor: which one serves, which one boots, which ones are on their way out.
 *
 * @module
 */

import { err, ok, type Result } from "../../base/result.ts";
import {
  type BootProblems,
  type ChildEnd,
  type ServiceChild,
  startChild,
} from "./child.ts";
import type { SupervisorEvent } from "./events.ts";
import { type LaunchOptions, prepareLaunch } from "./launch.ts";
import { Upstream } from "./upstream.ts";
import { createWatchdog } from "./watchdog.ts";

/**
 * How long a retired child keeps its calls before it gets SIGTERM, in milliseconds, if they don't end sooner.
 *
 * A request that was written just before the switch may still lie unread in the child's socket; a child that stops at
 * once would drop it without a word. After this time it has certainly been read, and draining takes care of it.
 */
const SETTLE_MS = 250;

/** A restarted child that lives this long has recovered, in milliseconds: the count of attempts starts again. */
const STEADY_MS = 5_000;

/** The one problem of a start that a newer one replaced. */
const SUPERSEDED = "superseded";

/** What {@link Children} needs; the same as the supervisor's own options. */
export interface ChildrenOptions extends LaunchOptions {
  /** The child's working folder. */
  readonly cwd: string | undefined;
  /** A line of the pack's own output. */
  readonly onLog: (line: string, stream: "stdout" | "stderr") => void;
  /** Something happened. */
  readonly onEvent: (event: SupervisorEvent) => void;
  /** Longest wait for `listening`, in milliseconds. */
  readonly bootTimeoutMs: number;
  /** From SIGTERM to SIGKILL, in milliseconds. */
  readonly stopGraceMs: number;
  /** Attempts to bring back a child that ended unasked. */
  readonly maxRestarts: number;
  /** Wait before each such attempt, in milliseconds. */
  readonly restartDelayMs: number;
  /** Waits for the next turn of the event loop. */
  readonly nextTurn: (callback: () => void) => void;
}

/** A child that new calls go to. */
interface Serving {
  readonly child: ServiceChild;
  readonly upstream: Upstream;
  readonly indexPath: string;
  readonly since: number;
}

/** One try at booting a child; it ends early when something newer makes it pointless. */
class Attempt {
  /** Why it ended early, if it did. */
  problem: string | undefined;
  child: ServiceChild | undefined;

  /** Gives the try up; one that has booted already is not touched. */
  end(problem: string): void {
    this.problem ??= problem;
    this.child?.kill();
  }
}

/** Starts, swaps, restarts and stops the children of one supervisor. */
export class Children {
  readonly #options: ChildrenOptions;
  readonly #watchdog = createWatchdog();
  readonly #leaving = new Set<Promise<unknown>>();
  #serving: Serving | undefined;
  /** The newest try that hasn't booted. */
  #booting: Attempt | undefined;
  /** Settles when every earlier try has: starts run in order. */
  #earlierBoots: Promise<unknown> = Promise.resolve();
  #restarting: AbortController | undefined;
  #restarts = 0;
  #closing = false;

  /** Nothing runs until {@link Children.start}. */
  constructor(options: ChildrenOptions) {
    this.#options = options;
  }

  /** The connections to the child that serves. */
  get serving(): Upstream | undefined {
    return this.#serving?.upstream;
  }

  /** Boots a child and switches to it; resolves with its port when the one before is gone. */
  async start(indexPath: string): Promise<Result<number, BootProblems>> {
    if (this.#closing) return err({ problems: [CLOSING] });
    this.#booting?.end(SUPERSEDED);
    const booted = await this.#boot(indexPath);
    if (booted.kind === "err") return booted;
    this.#restarts = 0;
    await booted.value.previousGone;
    return ok(booted.value.port);
  }

  /** Stops whatever runs or boots; resolves when all of it is gone. */
  async stop(): Promise<void> {
    this.#booting?.end(
      "The supervisor was stopped before the pack service listened",
    );
    this.#restarting?.abort();
    this.#retire();
    await this.#earlierBoots;
    await Promise.all(this.#leaving);
    await this.#watchdog.settle();
  }

  /** No more starts and restarts; a child that ends from now on is no news. */
  beginClose(): void {
    this.#closing = true;
    this.#booting?.end(CLOSING);
    this.#restarting?.abort();
  }

  /** Takes its turn after earlier tries, then boots; on success the new child serves. */
  #boot(indexPath: string): Promise<
    Result<{ port: number; previousGone: Promise<unknown> }, BootProblems>
  > {
    const attempt = this.#booting = new Attempt();
    const boot = this.#earlierBoots.then(async () => {
      const booted = attempt.problem === undefined
        ? await this.#run(indexPath, attempt)
        : err({ problems: [attempt.problem] });
      if (this.#booting === attempt) this.#booting = undefined;
      if (attempt.problem !== undefined) {
        attempt.child?.kill();
        await attempt.child?.ended;
        return err({ problems: [attempt.problem] });
      }
      if (booted.kind === "err") {
        this.#options.onEvent({ kind: "boot-failed", ...booted.error });
        return booted;
      }
      return ok(this.#switchTo(booted.value, indexPath));
    });
    this.#earlierBoots = boot.catch(() => {});
    return boot;
  }

  async #run(
    indexPath: string,
    attempt: Attempt,
  ): Promise<Result<{ child: ServiceChild; port: number }, BootProblems>> {
    let child: ServiceChild;
    try {
      const launch = await prepareLaunch(this.#options, indexPath);
      if (attempt.problem !== undefined) {
        return err({ problems: [attempt.problem] });
      }
      this.#watchdog.ready();
      child = startChild({
        ...launch,
        cwd: this.#options.cwd,
        bootTimeoutMs: this.#options.bootTimeoutMs,
        onOutput: this.#options.onLog,
        onRecord: (event, line) =>
          this.#options.onEvent({ kind: "log", event, line }),
      });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return err({ problems: [`Cannot start the pack service: ${reason}`] });
    }
    attempt.child = child;
    const { pid } = child;
    if (pid !== undefined) {
      this.#watchdog.watch(pid);
      void child.ended.then(() => this.#watchdog.forget(pid));
    }
    const booted = await child.booted;
    return booted.kind === "ok" ? ok({ child, port: booted.value }) : booted;
  }

  #switchTo(
    { child, port }: { child: ServiceChild; port: number },
    indexPath: string,
  ): { port: number; previousGone: Promise<unknown> } {
    const previousGone = this.#retire();
    const serving = this.#serving = {
      child,
      indexPath,
      upstream: new Upstream(port),
      since: performance.now(),
    };
    this.#restarting?.abort();
    this.#options.onEvent({ kind: "started", port, indexPath });
    void child.ended.then((end) => this.#ended(serving, end));
    return { port, previousGone };
  }

  /** Takes the serving child out of service; resolves when it is gone. */
  #retire(): Promise<unknown> {
    const serving = this.#serving;
    if (serving === undefined) return Promise.resolve();
    this.#serving = undefined;
    const { child, upstream } = serving;
    upstream.retire();
    const gone = upstream.quiet(SETTLE_MS)
      .then(() =>
        child.stop(this.#options.stopGraceMs, () => upstream.inFlight > 0)
      )
      .then(() => upstream.close());
    this.#leaving.add(gone);
    void gone.then(() => this.#leaving.delete(gone));
    return gone;
  }

  /** The serving child is gone: unasked, unless it has been retired. */
  async #ended(serving: Serving, end: ChildEnd): Promise<void> {
    if (end.signal === "SIGINT" || end.signal === "SIGHUP") {
      // A Ctrl+C that reached the child reaches its owner too, who then comes first.
      for (let turn = 0; turn < 2; turn++) {
        await new Promise<void>((resolve) => this.#options.nextTurn(resolve));
      }
    }
    if (this.#serving !== serving) return;
    this.#serving = undefined;
    serving.upstream.close();
    if (this.#closing) return;
    this.#options.onEvent({ kind: "exited", ...end });
    if (performance.now() - serving.since >= STEADY_MS) this.#restarts = 0;
    await this.#restart(serving.indexPath);
  }

  async #restart(indexPath: string): Promise<void> {
    const restarting = this.#restarting = new AbortController();
    const { signal } = restarting;
    const { maxRestarts, restartDelayMs, onEvent } = this.#options;
    while (this.#restarts < maxRestarts) {
      const attempt = ++this.#restarts;
      onEvent({ kind: "restarting", attempt });
      await delay(restartDelayMs, signal);
      let superseded: boolean;
      do {
        // A start that was asked for comes first; once its child serves, this one is over.
        while (this.#booting !== undefined) await this.#earlierBoots;
        if (signal.aborted) return;
        superseded = isSuperseded(await this.#boot(indexPath));
      } while (superseded);
      if (signal.aborted) return;
    }
    const attempts = this.#restarts;
    this.#restarts = 0;
    onEvent({ kind: "gave-up", attempts });
  }
}

const CLOSING = "Cannot start a pack service: the supervisor is closing";

function isSuperseded(result: Result<unknown, BootProblems>): boolean {
  return result.kind === "err" && result.error.problems[0] === SUPERSEDED;
}

/** Waits; an abort ends the wait early. */
function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
  });
}
