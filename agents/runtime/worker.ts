/**
 * The worker: turns go on although nobody asks for it (`spec/durability.md`, Somebody continues).
 *
 * @module
 */

import type { Agent } from "../agent/mod.ts";
import type { RunRecord } from "../flow/mod.ts";
import { closeInactive } from "./close_inactive.ts";
import { LOOKED_THROUGH } from "./sweep.ts";
import type {
  AgentRuntime,
  OpenAgentRuntimeInput,
  WorkInput,
} from "./types.ts";

const DEFAULT_POLL_MS = 1_000;
const DEFAULT_CONCURRENCY = 4;
/** The share of its time that a worker gives to sweeping at most: a sweep looks at every parked turn. */
const SWEEPING_SHARE = 0.1;
/** A turn that can't be taken further is tried again after a pause, which doubles up to this. */
const LONGEST_PAUSE_MS = 60_000;

/** A turn that couldn't be taken further. */
interface Pause {
  readonly until: number;
  readonly ms: number;
}

/** Works until the signal aborts, then until what it has taken up is done. */
export async function work(
  runtime: AgentRuntime,
  host: OpenAgentRuntimeInput,
  input: WorkInput,
): Promise<void> {
  const worker = new Worker(runtime, host, input);
  while (!input.signal.aborted) {
    await worker.look();
    await pause(input.pollMs ?? DEFAULT_POLL_MS, input.signal);
  }
  await worker.finish();
}

class Worker {
  readonly #runtime: AgentRuntime;
  readonly #host: OpenAgentRuntimeInput;
  readonly #input: WorkInput;
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #paused = new Map<string, Pause>();
  /** The agents, by id and version, whose turns are left to others. */
  readonly #left = new Set<string>();
  #sweepAgainAt = 0;

  constructor(
    runtime: AgentRuntime,
    host: OpenAgentRuntimeInput,
    input: WorkInput,
  ) {
    this.#runtime = runtime;
    this.#host = host;
    this.#input = input;
  }

  /** One look at all tenants. */
  async look(): Promise<void> {
    await this.#sweep();
    let tenantIds: readonly string[] = [];
    await this.#doing("look for tenants", async () => {
      const tenants = await this.#host.store.tenants();
      if (tenants.kind === "err") throw tenants.error;
      tenantIds = tenants.value;
    });
    for (const tenantId of tenantIds) {
      if (this.#input.signal.aborted) return;
      await this.#doing(
        `look for turns of tenant ${tenantId}`,
        () => this.#takeUp(tenantId),
      );
      await this.#doing(
        `close conversations of tenant ${tenantId}`,
        () => this.#close(tenantId),
      );
    }
  }

  async #sweep(): Promise<void> {
    const began = performance.now();
    if (began < this.#sweepAgainAt) return;
    await this.#doing("sweep approvals", async () => {
      const swept = await this.#runtime.sweep();
      if (swept.kind === "err") throw swept.error;
      const { expired, asked, withdrawn } = swept.value;
      if (expired + asked + withdrawn > 0) {
        this.#host.log?.info("The worker swept approvals", {
          ...{ expired, asked, withdrawn },
        });
      }
    });
    const took = performance.now() - began;
    this.#sweepAgainAt = performance.now() +
      Math.min(took / SWEEPING_SHARE, LONGEST_PAUSE_MS);
  }

  async #close(tenantId: string): Promise<void> {
    await closeInactive(
      this.#runtime,
      tenantId,
      (conversationId) =>
        this.#host.log?.info("The worker closed an inactive conversation", {
          tenantId,
          conversationId,
        }),
    );
  }

  /** Waits for what was taken up. */
  async finish(): Promise<void> {
    await Promise.all(this.#underWay.values());
  }

  async #takeUp(tenantId: string): Promise<void> {
    const runs = await this.#runtime.runs({
      tenantId,
      resumable: true,
      limit: LOOKED_THROUGH,
    });
    if (runs.kind === "err") throw runs.error;
    // The longest waiting first.
    for (const run of [...runs.value].reverse()) {
      const agent = this.#agentOf(run);
      if (agent === undefined) this.#tellLeft(run);
      if (agent === undefined || !this.#isDue(run)) continue;
      const { concurrency = DEFAULT_CONCURRENCY } = this.#input;
      while (this.#underWay.size >= concurrency) {
        await Promise.race(this.#underWay.values());
      }
      if (this.#input.signal.aborted) return;
      // Other workers go through the same list.
      const now = await this.#host.store.journal.get(tenantId, run.runId);
      if (now.kind === "ok" && now.value?.resumable === true) {
        this.#resume(run, agent);
      }
    }
  }

  /** The agent of a turn; `undefined` for what is no turn, and for an agent that this runtime doesn't know. */
  #agentOf({ agent }: RunRecord): Agent | undefined {
    if (agent === undefined) return undefined;
    const known = this.#runtime.agents.get(agent.id, agent.version);
    return known.kind === "ok" ? known.value : undefined;
  }

  /**
   * Says once of an agent's version that its turns are left to others: after an agent's version was raised nobody may be left
   * who knows the one before, and its turns would stand still without a word.
   */
  #tellLeft({ agent }: RunRecord): void {
    if (agent === undefined) return;
    const { id, version } = agent;
    const named = `${id} ${version}`;
    if (this.#left.has(named)) return;
    this.#left.add(named);
    this.#host.log?.info(
      `The worker leaves turns of agent ${named} to others: it doesn't know that version`,
    );
  }

  #isDue({ runId }: RunRecord): boolean {
    const paused = this.#paused.get(runId);
    return !this.#underWay.has(runId) &&
      (paused === undefined || paused.until <= Date.now());
  }

  #resume(run: RunRecord, agent: Agent): void {
    const { runId } = run;
    const done = this.#doing(
      `resume run ${runId}`,
      () => this.#takeFurther(run, agent),
    ).finally(() => this.#underWay.delete(runId));
    this.#underWay.set(runId, done);
  }

  async #takeFurther(run: RunRecord, agent: Agent): Promise<void> {
    const { tenantId, runId } = run;
    const ids = { tenantId, conversationId: run.agent?.conversationId, runId };
    this.#host.log?.debug("The worker takes a turn further", ids);
    const answer = await this.#runtime.resume({ tenantId, runId, agent });
    if (answer.kind === "ok") {
      this.#paused.delete(runId);
      const { status } = answer.value;
      this.#host.log?.info("The worker took a turn further", {
        ...ids,
        status,
      });
      return;
    }
    const { error } = answer;
    // Another worker was faster, which is no trouble.
    const isElsewhere = causeCode(error) === "run-executing";
    // A turn that failed has ended; one that can't be taken further now is looked at again later.
    const now = await this.#host.store.journal.get(tenantId, runId);
    if (now.kind === "ok" && now.value?.endedAt !== undefined) {
      this.#paused.delete(runId);
      if (isElsewhere) return;
      const { code, message } = error;
      this.#host.log?.info(`The worker took a turn further: ${message}`, {
        ...ids,
        status: now.value.status,
        code,
      });
      return;
    }
    const before = isElsewhere ? undefined : this.#paused.get(runId)?.ms;
    const ms = Math.min(2 * (before ?? DEFAULT_POLL_MS / 2), LONGEST_PAUSE_MS);
    this.#paused.set(runId, { until: Date.now() + ms, ms });
    if (!isElsewhere) throw error;
  }

  /** Does something; what goes wrong is logged, and the work goes on. */
  async #doing(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (failure) {
      const { code, message } = failure as { code?: string; message?: string };
      this.#host.log?.warn(`The worker could not ${what}: ${message}`, {
        ...(code === undefined ? {} : { code }),
      });
    }
  }
}

/** The code of the error beneath, where there is one. */
function causeCode(error: object): unknown {
  const { cause } = error as { readonly cause?: { readonly code?: unknown } };
  return cause?.code;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
  });
}
