/** A turn ended from outside at every call that it makes of its store and of the host's code (decisions.md 18, 22, 31). */
import {
  type Agent,
  createProvenanceBuilder,
  createRunBinding,
  type Guardrail,
} from "../../../agents/mod.ts";
import { assert, assertEquals, okValue } from "../../assert.ts";
import {
  call,
  lookup,
  say,
  type Scene,
  scene,
  WITH_TOOL,
} from "./turn_fixture.ts";

const AGENT = {
  ...WITH_TOOL,
  guardrails: ["g"],
  retrieval: [{ types: ["acme.note"], scope: "tenant" }],
} as unknown as Partial<Agent>;
const GUARDRAIL = {
  id: "g",
  kind: "zero-llm",
  check: "acme.checks.fine",
  action: { "on-violation": "halt" },
} as Guardrail;

/** Counts calls, and does something at one of them. */
class Calls {
  count = 0;
  readonly #at: number;
  readonly #isBefore: boolean;
  readonly #act: () => void | Promise<void>;

  constructor(at: number, isBefore: boolean, act: () => void | Promise<void>) {
    this.#at = at;
    this.#isBefore = isBefore;
    this.#act = act;
  }

  /** A function whose calls count. */
  of<Input extends unknown[], Value>(
    work: (...input: Input) => Value | Promise<Value>,
  ): (...input: Input) => Promise<Value> {
    return async (...input) => {
      const isIt = this.count++ === this.#at;
      if (isIt && this.#isBefore) await this.#act();
      const value = await work(...input);
      if (isIt && !this.#isBefore) await this.#act();
      return value;
    };
  }

  /** A binding whose calls count. */
  on<Binding extends object>(binding: Binding): Binding {
    return new Proxy(binding, {
      get: (target, name) => {
        const member = Reflect.get(target, name) as unknown;
        if (typeof member !== "function") return member;
        const own = member.bind(target);
        // It answers at once, and asks nothing of what is stored.
        return name === "keepsUsageOf" ? own : this.of(own);
      },
    });
  }
}

/** A turn with a tool and all else that there may be, every call of it counted. */
async function stageOf(calls: Calls, isGated: boolean): Promise<Scene> {
  const { tool } = lookup();
  const stage = await scene({
    agent: {
      ...AGENT,
      conversationPolicy: isGated
        ? { hitl: { afterTurns: 0, tools: { default: "always_ask" } } }
        : {},
    },
    guardrails: [GUARDRAIL],
    tools: [{ ...tool, handler: calls.of(tool.handler) }],
    script: [
      calls.of(() =>
        call(["a", "pack.lookup", { q: "x" }], ["b", "pack.lookup", { q: "y" }])
      ),
      calls.of(() => say("done")),
    ],
  });
  const { store, events } = stage;
  Object.assign(stage.bindings, {
    conversationBinding: calls.on(store.conversations),
    runSnapshotBinding: calls.on(store.snapshots),
    memoryBinding: calls.on(store.memory),
    usage: calls.on(store.usage),
    hitl: calls.on(store.approvals),
    provenance: {
      newBuilder: createProvenanceBuilder,
      emit: true,
      emitBinding: calls.on(store.provenance),
    },
    checks: {
      get: (id: string) => ({
        id,
        kind: "zero-llm",
        evaluate: calls.of(() => ({ passed: true })),
      }),
    },
    templateRenderer: { render: calls.of(() => "Help.") },
    runBinding: createRunBinding({
      journal: calls.on(store.journal),
      authorize: calls.of(() => ({ allowed: true })),
    }),
    onEvent: calls.of((event: Scene["events"][number]) =>
      void events.push(event)
    ),
  });
  return stage;
}

/** Takes a turn to its end, approving whatever it asks. */
async function runThrough(stage: Scene, abortSignal: AbortSignal) {
  const { store } = stage;
  let answer = await stage.invoke({
    abortSignal,
    principal: { userId: "u-1" },
  });
  while (answer.kind === "ok" && answer.value.status === "suspended") {
    const pending = okValue(
      await store.approvals.list({ tenantId: "t-1", status: "pending" }),
    );
    for (const { id } of pending) {
      await store.approvals.decide({
        tenantId: "t-1",
        approvalId: id,
        decision: "approve",
        decidedBy: { id: "r-1", role: "admin" },
      });
    }
    answer = await stage.resume(answer.value.runId, { abortSignal });
  }
  return answer;
}

const WAYS = [
  "the caller's signal",
  "cancelling the run here",
  "cancelling the run elsewhere",
] as const;

for (const how of WAYS) {
  for (const isGated of [false, true]) {
    const which = isGated ? "a turn that parks" : "a turn";
    Deno.test(`${how} ends ${which} once, at whatever call it comes, and an answer is stored or the turn is aborted`, async () => {
      for (const isBefore of [true, false]) {
        for (let at = 0, isPast = false; !isPast; at++) {
          const controller = new AbortController();
          const calls = new Calls(at, isBefore, async () => {
            if (how === "the caller's signal") return controller.abort();
            const { journal } = stage.store;
            const [run] = okValue(await journal.list({ tenantId: "t-1" }));
            if (run === undefined) return;
            const binding = how === "cancelling the run here"
              ? stage.bindings.runBinding!
              : createRunBinding({ journal });
            await binding.cancelRun("t-1", run.runId, "enough");
          });
          const stage = await stageOf(calls, isGated);
          const answer = await runThrough(stage, controller.signal);
          isPast = calls.count <= at;
          const where = `call ${at} ${isBefore ? "before" : "after"}`;
          if (answer.kind === "err") {
            assertEquals(answer.error.code, "agent-turn-aborted", where);
          }
          const ends = stage.kinds().filter((kind) =>
            kind === "turn.completed" || kind === "turn.failed"
          );
          assertEquals(ends.length, 1, where);
          assertEquals(stage.kinds().at(-1), ends[0], where);
          const messages = await stage.messages();
          assertEquals(
            messages.includes("agent done"),
            answer.kind === "ok",
            where,
          );
          assert(!isPast || answer.kind === "ok");
          const next = await scene({
            store: stage.store,
            opened: true,
            script: [say("next")],
          });
          okValue(await next.invoke());
        }
      }
    });
  }
}
