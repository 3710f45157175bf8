/**
 * What a user may type instead of a message.
 *
 * @module
 */
import type { AgentRuntime } from "../../agents/mod.ts";
import type { ChatSession, TurnEnd } from "./session.ts";
import type { Whose } from "./settings.ts";
import { bad, dim, messageLines } from "./turn_lines.ts";

/** What commands work with. */
export interface CommandContext {
  /** The conversation. */
  readonly session: ChatSession;
  /** Reads it. */
  readonly runtime: AgentRuntime;
  /** Whose it is. */
  readonly whose: Whose;
  /** Its id. */
  readonly conversationId: string;
  /** Shows a line. */
  readonly print: (line: string) => void;
}

const HELP: readonly (readonly [command: string, what: string])[] = [
  ["/help", "this list"],
  ["/history [N]", "the newest N messages (default: 20)"],
  ["/approvals", "asks again what turns wait for, and takes them further"],
  ["/cancel", "gives the turns up that haven't ended"],
  ["/quit", "ends; Ctrl+D too. Turns that wait go on the next time"],
  ["//…", "a message that begins with /"],
];

/** How many messages are shown when nobody says. */
export const HISTORY_LENGTH = 20;

/** Does what a command says; `"quit"` ends the chat. */
export async function runCommand(
  line: string,
  context: CommandContext,
): Promise<"quit" | readonly TurnEnd[]> {
  const { session, print } = context;
  const [command = "", argument] = line.trim().split(/\s+/);
  switch (command) {
    case "/help":
      for (const [name, what] of HELP) print(dim(`${name.padEnd(14)}${what}`));
      return [];
    case "/history":
      if (argument !== undefined && !/^[1-9][0-9]{0,5}$/.test(argument)) {
        print(bad(`${argument} is no number of messages`));
        return [];
      }
      await showHistory(context, Number(argument ?? HISTORY_LENGTH));
      return [];
    case "/approvals": {
      const ends = await session.takeUp();
      if (ends.length === 0) print(dim("no turn waits"));
      return ends;
    }
    case "/cancel":
      if (await session.cancel() === 0) print(dim("every turn has ended"));
      return [];
    case "/quit":
    case "/exit":
      return "quit";
    default:
      print(bad(`${command} is no command; /help lists them`));
      return [];
  }
}

/** Shows the newest messages of the conversation. */
export async function showHistory(
  { runtime, whose: { tenantId }, conversationId, print }: CommandContext,
  last: number,
): Promise<void> {
  const read = await runtime.messages({ tenantId, conversationId, last });
  if (read.kind === "err") return print(bad(read.error.message));
  const [first] = read.value;
  if (first === undefined) return print(dim("nothing was said yet"));
  if (first.sequence > 1) {
    const earlier = first.sequence - 1;
    print(
      dim(
        `${earlier} earlier ${
          earlier === 1 ? "message" : "messages"
        }: /history N shows more`,
      ),
    );
  }
  for (const message of read.value) {
    for (const line of messageLines(message)) print(line);
  }
}
