/** A journal that dies: from a certain write on everything throws, as in a process that was killed there. */
import type { RunJournal } from "../../../agents/flow/mod.ts";

/** What writes. */
const WRITES = new Set([
  "start",
  "startExclusive",
  "append",
  "park",
  "resolveToken",
  "requestCancel",
]);

/** Where a journal dies. */
export interface Cut {
  /** At which write, from 1. */
  readonly at: number;
  /** Whether that write is stored, its answer being lost. */
  readonly stored: boolean;
}

/** A journal over another one, and how many writes it saw. */
export class CutJournal {
  /** How many writes there were. */
  writes = 0;
  /** The journal. */
  readonly journal: RunJournal;

  constructor(journal: RunJournal, cut: Cut | undefined) {
    const died = () => cut !== undefined && this.writes >= cut.at;
    this.journal = new Proxy(journal, {
      get: (target, name) => {
        const member = Reflect.get(target, name) as unknown;
        if (typeof member !== "function") return member;
        // It answers at once, and asks nothing of what is stored.
        if (name === "keepsUsageOf") return member.bind(target);
        return async (...parameters: unknown[]) => {
          if (died()) throw new Error("the store is gone");
          if (!WRITES.has(String(name))) {
            return member.apply(target, parameters);
          }
          this.writes += 1;
          if (died() && !cut!.stored) throw new Error("the store is gone");
          const answer = await member.apply(target, parameters);
          if (died()) throw new Error("the answer was lost");
          return answer;
        };
      },
    });
  }
}
