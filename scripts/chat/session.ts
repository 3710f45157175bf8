/**
 * One conversation at a terminal: turns are said, decided, taken further and shown.
 *
 * @module
 */
import type {
  AgentRuntime,
  Approval,
  Decider,
  TurnAnswer,
} from "../../agents/mod.ts";
import { styled } from "../printed.ts";
import { subjectLines } from "../support/approval_lines.ts";
import { reasonOf } from "../support/cannot_start.ts";
import { terminalLine, terminalText } from "../support/terminal_text.ts";
import type { ChatInput } from "./chat_input.ts";
import {
  DECISION_PROMPT,
  readAnswer,
  type ReviewerAnswer,
} from "./decision.ts";
import type { Whose } from "./settings.ts";
import { answerLines, bad, dim } from "./turn_lines.ts";

/** What a session works with. */
export interface ChatSessionOptions {
  /** Runs the turns. */
  readonly runtime: AgentRuntime;
  /** Whose conversation. */
  readonly whose: Whose;
  /** Which one. */
  readonly conversationId: string;
  /** As whom approvals are decided. */
  readonly reviewer: Decider;
  /** Values of the instructions' parameters. */
  readonly parameters: Readonly<Record<string, string | number | boolean>>;
  /** Where answers come from. */
  readonly input: ChatInput;
  /** Shows a line. */
  readonly print: (line: string) => void;
}

/** How a turn stands: it has ended, waits for somebody, or goes on later. */
export type TurnEnd = "completed" | "failed" | "cancelled" | "waits" | "later";

/** How often to look whether a turn is free, in milliseconds. */
const LOOK_MS = 100;

/** Nobody reads a question and answers it in less, in milliseconds. */
const READING_MS = 150;

/** Kernel errors after which a turn isn't over. */
const NOT_OVER: ReadonlySet<unknown> = new Set([
  "journal-error",
  "run-lease-lost",
]);

/** A conversation. */
export class ChatSession {
  readonly #options: ChatSessionOptions;
  /** Whether a turn is being taken further just now. */
  underWay = false;

  /** Nothing is said yet. */
  constructor(options: ChatSessionOptions) {
    this.#options = options;
  }

  /** Says something, and shows what comes of it. */
  async say(userMessage: string): Promise<TurnEnd> {
    const { runtime, whose, conversationId, parameters } = this.#options;
    return await this.#follow(
      undefined,
      () =>
        runtime.invoke({ ...whose, conversationId, userMessage, parameters }),
    );
  }

  /** Takes the turns further that haven't ended, the first one first; answers how each stands then. */
  async takeUp(): Promise<TurnEnd[]> {
    const ends: TurnEnd[] = [];
    for (const runId of await this.openRuns()) {
      await this.#untilFree(runId);
      ends.push(await this.#follow(runId, () => this.#resume(runId)));
    }
    return ends;
  }

  /** Cancels the turns that haven't ended; answers how many. */
  async cancel(): Promise<number> {
    const runIds = await this.openRuns();
    for (const runId of runIds) await this.#cancel(runId);
    return runIds.length;
  }

  /** The turns that haven't ended, the first one first. */
  async openRuns(): Promise<string[]> {
    const { runtime, whose: { tenantId }, conversationId } = this.#options;
    const runs = await runtime.runs({ tenantId, conversationId });
    if (runs.kind === "err") throw new Error(runs.error.message);
    return runs.value.filter(({ endedAt }) => endedAt === undefined)
      .map(({ runId }) => runId as string).reverse();
  }

  /** Runs a part of a turn, and as much more of it as decisions allow. */
  async #follow(
    known: string | undefined,
    begin: () => Promise<TurnAnswer>,
  ): Promise<TurnEnd> {
    const { print } = this.#options;
    const skipped = new Set<string>();
    let runId = known;
    for (let next = begin;;) {
      this.underWay = true;
      let answer: TurnAnswer;
      try {
        answer = await next();
      } finally {
        this.underWay = false;
      }
      if (answer.kind === "err") {
        const { code, message } = answer.error;
        const cause = causeCode(answer.error);
        if (cause === "run-executing" && runId !== undefined) {
          await this.#untilFree(runId);
          continue;
        }
        print(bad(`${code}: ${message}`));
        if (!NOT_OVER.has(cause)) return "failed";
        print(dim("the turn isn't over; it goes on the next time"));
        return "later";
      }
      const { value } = answer;
      if (value.status !== "suspended") {
        for (const line of answerLines(value)) print(line);
        return "completed";
      }
      runId = value.runId;
      const decided = await this.#ask(runId, skipped);
      if (decided === "cancelled") return decided;
      if (decided === 0) {
        print(dim("the turn waits: /approvals asks again"));
        return "waits";
      }
      next = () => this.#resume(value.runId);
    }
  }

  /** Asks what a turn waits for; answers how many questions are decided now. */
  async #ask(
    runId: string,
    skipped: Set<string>,
  ): Promise<number | "cancelled"> {
    let decided = 0;
    for (const approval of await this.#questions(runId)) {
      if (skipped.has(approval.id)) continue;
      const answer = await this.#askOne(approval);
      if (answer === "cancel") {
        await this.#cancel(runId);
        return "cancelled";
      }
      if (answer === "decided") decided += 1;
      else skipped.add(approval.id);
    }
    return decided;
  }

  async #askOne(
    approval: Approval,
  ): Promise<"decided" | "skip" | "cancel"> {
    const { runtime, whose, reviewer, input, print } = this.#options;
    print(
      `  ${styled("red", "‖")} ${
        terminalLine(approval.title, 300)
      } (${approval.requiredRole} or higher)`,
    );
    for (const line of subjectLines(approval, 4)) print(line);
    const answer = await this.#answer();
    if (answer.kind === "skip" || answer.kind === "cancel") return answer.kind;
    const { kind, rationale } = answer;
    const result = await runtime.decide({
      tenantId: whose.tenantId,
      approvalId: approval.id,
      decision: kind,
      decidedBy: reviewer,
      ...(rationale === undefined ? {} : { rationale }),
    });
    if (result.kind === "err") {
      print(bad(result.error.message));
      // Decided elsewhere in between: the turn goes on by that.
      return result.error.code === "approval-already-decided" ||
          result.error.code === "approval-expired"
        ? "decided"
        : "skip";
    }
    if (!input.terminal) print(dim(result.value.status));
    return "decided";
  }

  /**
   * Asks until the answer is one. From a pipe, a line that is none is the next message, and the question stays open. At a
   * terminal, what was typed before the question could be read is no answer to it.
   */
  async #answer(): Promise<ReviewerAnswer> {
    const { input } = this.#options;
    for (;;) {
      const asked = performance.now();
      const line = await input.ask(DECISION_PROMPT);
      if (line === undefined) return { kind: "skip" };
      const early = input.terminal && performance.now() - asked < READING_MS;
      const answer = early ? undefined : readAnswer(line);
      if (answer !== undefined) return answer;
      if (input.terminal) continue;
      input.putBack(line);
      return { kind: "skip" };
    }
  }

  /** What a turn waits for, in the order it was asked. */
  async #questions(runId: string): Promise<Approval[]> {
    const { runtime, whose: { tenantId } } = this.#options;
    const list = async () => {
      const status = "pending" as const;
      const listed = await runtime.approvals.list({ tenantId, runId, status });
      if (listed.kind === "err") throw new Error(listed.error.message);
      return [...listed.value].reverse();
    };
    const known = await list();
    if (known.length > 0) return known;
    // Nobody could be asked when the turn parked: a sweep asks.
    await runtime.sweep();
    return await list();
  }

  async #resume(runId: string): Promise<TurnAnswer> {
    const { runtime, whose: { tenantId } } = this.#options;
    return await runtime.resume({ tenantId, runId });
  }

  async #cancel(runId: string): Promise<void> {
    const { runtime, whose: { tenantId }, print } = this.#options;
    const reason = "cancelled at the terminal";
    const cancelled = await runtime.cancel({ tenantId, runId, reason });
    if (cancelled.kind === "err") return print(bad(cancelled.error.message));
    // A run that nobody executes ends with its next resume.
    await this.#resume(runId);
    print(dim("the turn is cancelled"));
  }

  /** Waits until no process holds a turn: one that was killed keeps it until its lease is over. */
  async #untilFree(runId: string): Promise<void> {
    const { runtime, whose: { tenantId }, print } = this.#options;
    for (let told = false;;) {
      const run = await runtime.bindings.runBinding!.getRun(tenantId, runId);
      if (run.kind === "err") throw new Error(run.error.message);
      if (!run.value.executing) return;
      if (!told) {
        print(
          dim("another process has the turn: waiting until it lets go of it"),
        );
        told = true;
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }
}

/** The code of the error beneath, where there is one. */
function causeCode(error: object): unknown {
  const { cause } = error as { readonly cause?: { readonly code?: unknown } };
  return cause?.code;
}

/** What went wrong with the conversation itself, for people. */
export function troubleLine(thrown: unknown): string {
  return bad(terminalText(reasonOf(thrown)));
}
