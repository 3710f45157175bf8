/**
 * A chat from its first prompt to its last: lines go to commands or to the agent.
 *
 * @module
 */
import { styled } from "../printed.ts";
import { terminalText } from "../support/terminal_text.ts";
import type { ChatInput } from "./chat_input.ts";
import { type CommandContext, runCommand } from "./commands.ts";
import { troubleLine, type TurnEnd } from "./session.ts";

/**
 * Takes the turns further that haven't ended, then does what each line says, until there are no more; answers how the last
 * turn stands, and `undefined` where there was none.
 */
export async function talk(
  context: CommandContext,
  input: ChatInput,
): Promise<TurnEnd | undefined> {
  const { session, print } = context;
  /** What can't be done now, such as for a store that is away, may well be done for the next line. */
  const attempt = async <Value>(
    doing: Promise<Value>,
  ): Promise<Value | readonly TurnEnd[]> => {
    try {
      return await doing;
    } catch (thrown) {
      print(troubleLine(thrown));
      return ["failed"];
    }
  };
  const prompt = `${styled("bold", "›")} `;
  let last = (await attempt(session.takeUp())).at(-1);
  for (;;) {
    const line = await input.next(prompt);
    if (line === undefined) return last;
    if (line.trim() === "") continue;
    if (/^\/(?!\/)/.test(line)) {
      const ends = await attempt(runCommand(line, context));
      if (ends === "quit") return last;
      last = ends.at(-1) ?? last;
    } else {
      if (!input.terminal) print(`${prompt}${terminalText(line)}`);
      const said = session.say(line.replace(/^\/\//, "/"));
      last = (await attempt(said.then((end) => [end]))).at(-1);
    }
  }
}
