/**
 * What somebody answers when the agent needs their say.
 *
 * @module
 */

/** An answer. */
export type ReviewerAnswer =
  | {
    /** Yes or no. */
    readonly kind: "approve" | "reject";
    /** Why. */
    readonly rationale: string | undefined;
  }
  | {
    /** Not now. */
    readonly kind: "skip";
  }
  | {
    /** The whole turn is given up. */
    readonly kind: "cancel";
  };

/** What is asked. */
export const DECISION_PROMPT =
  "  [a]pprove, [r]eject, [s]kip or [c]ancel the turn; a reason may follow: ";

const ANSWERS: Readonly<Record<string, ReviewerAnswer["kind"]>> = {
  a: "approve",
  approve: "approve",
  r: "reject",
  reject: "reject",
  s: "skip",
  skip: "skip",
  c: "cancel",
  cancel: "cancel",
};

/** Reads an answer: its first word, then a reason. Anything else is `undefined`: nothing is agreed to by guesswork. */
export function readAnswer(line: string): ReviewerAnswer | undefined {
  const [, word = "", rest = ""] = /^\s*(\S*)\s*([\s\S]*?)\s*$/.exec(line) ??
    [];
  const kind = Object.hasOwn(ANSWERS, word.toLowerCase())
    ? ANSWERS[word.toLowerCase()]!
    : undefined;
  switch (kind) {
    case undefined:
      return undefined;
    case "approve":
    case "reject":
      return { kind, rationale: rest === "" ? undefined : rest };
    case "skip":
    case "cancel":
      return rest === "" ? { kind } : undefined;
  }
}
