/**
 * Runs a pack's calls in child processes: one shared by all, and one of its own for each tool or check that declares a
 * sandbox (`spec/executors.md`, Which executors).
 *
 * @module
 */

import type {
  ExecutorBlockedEvent,
  ExecutorLostEvent,
  ExecutorLostReason,
  ExecutorPermissions,
} from "./events.ts";
import type {
  AbortReason,
  BegunCall,
  CallAnswer,
  CallEvents,
  Executor,
  ExecutorCall,
  ExecutorProblem,
  ExecutorRecord,
} from "./executor.ts";
import type { ExecutorLaunch, ExecutorOutput } from "./executor_launch.ts";
import type { SentCall } from "./process_loss.ts";
import { ExecutorSlot, type SlotOptions } from "./executor_slot.ts";
import { executorLost } from "./lost_answers.ts";
import { isNotCached } from "./pack_imports.ts";

/** After how long without a call an executor of its own is stopped until the next call, in ms. */
const OWN_IDLE_MS = 5 * 60_000;
/** How many executors start at the same time: more would only slow each other down. */
const STARTS_AT_ONCE = 4;

/** An executor that is to run, and what it may reach. */
export interface PlannedExecutor {
  /** How it is started. */
  readonly launch: ExecutorLaunch;
  /** What it may reach, for people. */
  readonly permissions: ExecutorPermissions;
}

/** What {@link ChildExecutor} needs. */
export interface ChildExecutorOptions {
  /** The shared executors: one, unless the pack keeps no state and the operator asked for more. */
  readonly shared: readonly PlannedExecutor[];
  /** The executors of one tool or check alone, by name. */
  readonly own: readonly PlannedExecutor[];
  /** A folder that only this user can enter, for sockets. */
  readonly socketFolder: string;
  /** Where pack output goes. */
  readonly output: ExecutorOutput;
  /** Hears what should be recorded. */
  readonly tell: (event: ExecutorLostEvent | ExecutorBlockedEvent) => void;
  /** Hears of what pack code did outside of a call. */
  readonly record: (record: ExecutorRecord, executor: string) => void;
  /** Fetches what the pack depends on; answers what went wrong. */
  readonly fetchDependencies: () => Promise<string | undefined>;
  /** Removes what was made around the executors, once they have ended. */
  readonly cleanUp: () => Promise<void>;
}

/** An {@link Executor} over child processes. */
export class ChildExecutor implements Executor {
  readonly #options: ChildExecutorOptions;
  readonly #shared: readonly ExecutorSlot[];
  readonly #own: ReadonlyMap<string, ExecutorSlot>;
  #lost = 0;
  #next = 0;

  /** Starts nothing before {@link ChildExecutor.start}. */
  constructor(options: ChildExecutorOptions) {
    this.#options = options;
    const placeAgain = (calls: readonly SentCall[]): void => {
      for (const call of calls) {
        if (call instanceof RoutedCall) call.place(this.#leastLoaded());
      }
    };
    this.#shared = options.shared.map(({ launch }) =>
      this.#slot(launch, { placeAgain })
    );
    this.#own = new Map(
      options.own.map(({ launch }) => [
        launch.name,
        this.#slot(launch, { idleMs: OWN_IDLE_MS }),
      ]),
    );
  }

  /** How many executors were lost so far. */
  get lost(): number {
    return this.#lost;
  }

  /** Starts every executor; what has started is ended again when one fails. */
  start(): Promise<readonly ExecutorProblem[]> {
    return this.#startAll([...this.#shared, ...this.#own.values()], true);
  }

  /** What a pack needs is in Deno's cache nearly always, so it is fetched only when a start has missed something. */
  async #startAll(
    waiting: ExecutorSlot[],
    mayFetch: boolean,
  ): Promise<readonly ExecutorProblem[]> {
    const problems = new Map<ExecutorSlot, readonly ExecutorProblem[]>();
    const order = [...waiting];
    const startNext = async (): Promise<void> => {
      for (let slot = waiting.shift(); slot; slot = waiting.shift()) {
        problems.set(slot, await slot.start());
      }
    };
    await Promise.all(
      Array.from({ length: STARTS_AT_ONCE }, () => startNext()),
    );
    const found = order.flatMap((slot) => problems.get(slot) ?? []);
    if (found.some(({ message }) => isNotCached(message)) && mayFetch) {
      const problem = await this.#options.fetchDependencies();
      if (problem === undefined) {
        return await this.#startAll(
          order.filter((slot) => !slot.up),
          false,
        );
      }
      found.push({ message: problem });
    }
    if (found.length > 0) await this.stop();
    return found;
  }

  /** Whether a shared executor is there and every one has come up once. */
  ready(): boolean {
    return this.#shared.some((slot) => slot.up) &&
      [...this.#own.values()].every((slot) => slot.everUp);
  }

  /** Sends a call to a shared executor: the least loaded of those that answer. */
  call(body: Uint8Array, events: CallEvents): ExecutorCall {
    const call = new RoutedCall(body, events, (name) => this.#own.get(name));
    call.place(this.#leastLoaded());
    return call;
  }

  /** What each executor may reach. */
  permissions(): readonly ExecutorPermissions[] {
    const [shared] = this.#options.shared;
    return [...(shared === undefined ? [] : [shared]), ...this.#options.own]
      .map(({ permissions }) => permissions);
  }

  /** Ends every executor. */
  async stop(): Promise<void> {
    await Promise.all(
      [...this.#shared, ...this.#own.values()].map((slot) => slot.stop()),
    );
    await this.#options.cleanUp();
  }

  /** Ends every executor at once, whatever it is doing. */
  async kill(): Promise<void> {
    for (const slot of [...this.#shared, ...this.#own.values()]) slot.kill();
    await this.#options.cleanUp();
  }

  #slot(
    launch: ExecutorLaunch,
    kind: Pick<SlotOptions, "idleMs" | "placeAgain">,
  ): ExecutorSlot {
    const { socketFolder, output, tell, record } = this.#options;
    return new ExecutorSlot({
      launch,
      socketFolder,
      output,
      ...kind,
      tell: (event) => {
        if (event.kind === "executor-lost") this.#lost++;
        tell(event);
      },
      record: (line) => record(line, launch.name),
    });
  }

  #leastLoaded(): ExecutorSlot {
    const shared = this.#shared;
    if (shared.length === 1) return shared[0]!;
    // From a place that moves on, so that equals take turns.
    const from = this.#next++ % shared.length;
    let best = shared[from]!;
    for (let step = 1; step < shared.length; step++) {
      const slot = shared[(from + step) % shared.length]!;
      const better = slot.free === best.free
        ? slot.load < best.load
        : slot.free;
      if (better) best = slot;
    }
    return best;
  }
}

/** A call on its way: first to a shared executor, then perhaps to one of its own. */
class RoutedCall implements SentCall, ExecutorCall {
  readonly body: Uint8Array;
  readonly #events: CallEvents;
  readonly #ownSlot: (name: string) => ExecutorSlot | undefined;
  #slot: ExecutorSlot | undefined;
  #begun: BegunCall | undefined;
  #aborted = false;
  #isolated = false;

  constructor(
    body: Uint8Array,
    events: CallEvents,
    ownSlot: (name: string) => ExecutorSlot | undefined,
  ) {
    this.body = body;
    this.#events = events;
    this.#ownSlot = ownSlot;
  }

  place(slot: ExecutorSlot): void {
    this.#slot = slot;
    slot.call(this);
  }

  abort(reason: AbortReason): void {
    this.#aborted = true;
    this.#slot?.abort(this, reason);
  }

  begun(call: BegunCall): void {
    this.#begun = call;
    this.#events.begun(call);
  }

  isolated(name: string): boolean {
    const slot = this.#ownSlot(name);
    // Handed on once: an executor of its own has nobody to hand a call to.
    if (slot === undefined || this.#isolated) return false;
    this.#isolated = true;
    if (!this.#aborted) this.place(slot);
    return true;
  }

  record(record: ExecutorRecord): void {
    this.#events.record(record);
  }

  answered(answer: CallAnswer): void {
    this.#events.answered(answer);
  }

  lost(reason: ExecutorLostReason): void {
    if (this.#begun === undefined) return;
    this.#events.answered(executorLost(this.#begun, reason));
  }
}
