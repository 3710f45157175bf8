/**
 * `deno task chat`: a conversation with a pack's agent in the terminal. What is kept survives Ctrl+C and kills.
 *
 * @module
 */
import { constants } from "node:os";
import process from "node:process";
import { openAgentRuntime } from "../agents/mod.ts";
import { PACK_TOKEN_VAR } from "../pack_service/mod.ts";
import { chatInput } from "./chat/chat_input.ts";
import { HISTORY_LENGTH, runCommand, showHistory } from "./chat/commands.ts";
import { findConversation } from "./chat/find_conversation.ts";
import { ChatSession, troubleLine, type TurnEnd } from "./chat/session.ts";
import {
  type ChatSettings,
  readChatSettings,
  typedParameters,
} from "./chat/settings.ts";
import { dim, eventLine } from "./chat/turn_lines.ts";
import { createDevLines } from "./dev/printed_lines.ts";
import { styled } from "./printed.ts";
import { CannotStart } from "./support/cannot_start.ts";
import { commandLog } from "./support/log_lines.ts";
import { MODEL_HELP, shownModel } from "./support/model_choice.ts";
import { openProviders } from "./support/model_provider.ts";
import { openPack } from "./support/opened_pack.ts";
import {
  openStore,
  shownPlace,
  STORE_HELP,
  STORE_VAR,
} from "./support/store_place.ts";
import { DEFAULT_TENANT } from "./support/whose.ts";

const HELP = `Talks with an agent of a pack.

Usage:
  deno task chat --pack-dir DIR [--agent ID] [--store WHERE] [--conversation ID | --new] [--model NAME --model-url URL]

  --pack-dir DIR      the pack's folder; indexed now where it has no index.json
  --agent ID          which of its agents, where it has several
${STORE_HELP}
                      (default: ${STORE_VAR}, else memory: the conversation ends with the process)
  --conversation ID   go on with this conversation (default: the latest one with this agent that is open)
  --new               open a new one
${MODEL_HELP}
                      Without a model a script answers
  --parameter N=V     a value of the instructions' parameter N; repeatable
  --url URL           a pack service that runs already, its token in ${PACK_TOKEN_VAR} (default: one is started)
  --tenant ID         whose conversation (default: ${DEFAULT_TENANT})
  --project ID        its project (default: local)
  --role ROLE         as what you decide approvals: standard, senior or admin (default)
  --reviewer ID       as whom (default: your user's name)
  -h, --help          print this, and exit

In the chat /help lists commands. Approvals are asked where the agent needs them. Ctrl+C leaves at once: a turn under way,
or one that waits, goes on when the chat is started again, or with a worker on the same store. From a pipe each line is a
message, or an answer where one is asked: a, r, s or c, and a reason. Standard output then is plain text.

Exit codes:
  0     ended
  1     it can't start; from a pipe also: the last turn failed
  2     the arguments make no sense
  3     from a pipe: the last turn waits for a decision
  130   Ctrl+C (143, 129: other signals)

Example:
  deno task chat --pack-dir examples/support_pack --store chat.sqlite
`;

/** How long a killed chat keeps its turn, in milliseconds: whoever starts it again waits no longer. */
const LEASE_MS = 5_000;

/** Runs the command; answers its exit code. */
async function main(argv: string[]): Promise<number> {
  const settings = readChatSettings(argv);
  if (settings === "help") {
    console.log(HELP.trimEnd());
    return 0;
  }
  if (typeof settings === "string") {
    console.error(`chat: ${settings}; --help says more`);
    return 2;
  }
  try {
    return await chat(settings);
  } catch (error) {
    if (!(error instanceof CannotStart)) throw error;
    console.error(`chat: ${error.message}`);
    return 1;
  }
}

async function chat(settings: ChatSettings): Promise<number> {
  const print = (line: string) => console.log(line);
  const lines = createDevLines();
  const tell = (line: string) => console.error(styled("dim", line, "stderr"));
  let session: ChatSession | undefined;
  const leave = (signal: "SIGINT" | "SIGTERM" | "SIGHUP"): never => {
    console.error(
      session?.underWay
        ? "\nchat: left; the turn goes on the next time"
        : "\nchat: left",
    );
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => leave(signal));
  }

  const providers = await openProviders(settings.model);
  const store = await openStore(settings.store);
  const pack = await openPack(settings.pack, {
    onLine: tell,
    onRecord: (event) => lines.record(event),
    onTrouble: (message) => tell(`chat: ${message}`),
  });
  const runtime = openAgentRuntime({
    store,
    providers,
    ...pack.parts,
    leaseMs: LEASE_MS,
    log: commandLog("chat"),
    onEvent: (event) => {
      const line = eventLine(event);
      if (line !== undefined) print(line);
    },
  });
  try {
    const found = await findConversation(runtime, settings);
    const { conversation, agent, continued } = found;
    const parameters = typedParameters(agent, settings.parameters);
    if (typeof parameters === "string") throw new CannotStart(parameters);
    const input = chatInput(() => leave("SIGINT"));
    const { whose, reviewer } = settings;
    const conversationId = conversation.id;
    session = new ChatSession({
      ...{ runtime, whose, conversationId, reviewer, parameters, input, print },
    });
    const context = { session, runtime, whose, conversationId, print };
    print(
      `${
        styled("bold", `${agent.name} (${agent.id} ${agent.version})`)
      } of pack ${pack.name}`,
    );
    print(dim(shownModel(settings.model)));
    print(dim(keptIn(settings)));
    print(
      dim(
        `conversation ${conversationId}${
          continued ? " goes on; --new opens another" : ""
        }`,
      ),
    );
    if (input.terminal) print(dim("/help lists the commands"));
    if (continued) await showHistory(context, HISTORY_LENGTH);
    let last = await attempt(session.takeUp(), print);
    for (;;) {
      const line = await input.next(`${styled("bold", "›")} `);
      if (line === undefined) break;
      if (line.trim() === "") continue;
      if (/^\/(?!\/)/.test(line)) {
        const ends = await attempt(runCommand(line, context), print);
        if (ends === "quit") break;
        last = ends ?? last;
        continue;
      }
      if (!input.terminal) print(`${styled("bold", "›")} ${line}`);
      const said = session.say(line.replace(/^\/\//, "/"));
      last = await attempt(said.then((end) => [end]), print);
    }
    if (input.terminal) return 0;
    return last === "failed" ? 1 : last === "waits" || last === "later" ? 3 : 0;
  } finally {
    await runtime.close();
    await pack.close();
    await store.close();
  }
}

/** How the last of some turns stands; what can't be done now, such as for a store that is away, may well be done later. */
async function attempt(
  doing: Promise<readonly TurnEnd[] | "quit">,
  print: (line: string) => void,
): Promise<TurnEnd | "quit" | undefined> {
  try {
    const ends = await doing;
    return ends === "quit" ? ends : ends.at(-1);
  } catch (thrown) {
    print(troubleLine(thrown));
    return "failed";
  }
}

/** Where the conversation is kept, in a sentence. */
function keptIn({ store }: ChatSettings): string {
  return store.kind === "memory"
    ? "kept in memory until the end; --store chat.sqlite keeps it in a file"
    : `kept in ${shownPlace(store)}`;
}

process.exit(await main(process.argv.slice(2)));
