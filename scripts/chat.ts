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
import { HISTORY_LENGTH, showHistory } from "./chat/commands.ts";
import {
  findConversation,
  type FoundConversation,
} from "./chat/find_conversation.ts";
import { ChatSession, type TurnEnd } from "./chat/session.ts";
import {
  type ChatSettings,
  readChatSettings,
  typedParameters,
} from "./chat/settings.ts";
import { talk } from "./chat/talk.ts";
import { dim, eventLine } from "./chat/turn_lines.ts";
import { createDevLines } from "./dev/printed_lines.ts";
import { styled } from "./printed.ts";
import { CannotStart } from "./support/cannot_start.ts";
import { commandLog } from "./support/log_lines.ts";
import { MODEL_HELP, shownModel } from "./support/model_choice.ts";
import { openProviders } from "./support/model_provider.ts";
import { type OpenedPack, openPack } from "./support/opened_pack.ts";
import {
  openStore,
  shownPlace,
  STORE_HELP,
  STORE_VAR,
} from "./support/store_place.ts";
import { terminalText } from "./support/terminal_text.ts";
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
    console.error(terminalText(`chat: ${error.message}`));
    return 1;
  }
}

async function chat(settings: ChatSettings): Promise<number> {
  let session: ChatSession | undefined;
  const leave = (signal: "SIGINT" | "SIGTERM" | "SIGHUP"): never => {
    const goesOn = session?.underWay && settings.store.kind !== "memory";
    console.error(
      goesOn ? "\nchat: left; the turn goes on the next time" : "\nchat: left",
    );
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => leave(signal));
  }
  const providers = await openProviders(settings.model);
  const store = await openStore(settings.store);
  const lines = createDevLines();
  const pack = await openPack(settings.pack, {
    onLine: (line) => console.error(styled("dim", line, "stderr")),
    onRecord: (event) => lines.record(event),
    onTrouble: (message) => console.error(`chat: ${message}`),
  });
  const runtime = openAgentRuntime({
    ...{ store, providers, leaseMs: LEASE_MS, log: commandLog("chat") },
    ...pack.parts,
    onEvent: (event) => {
      const line = eventLine(event);
      if (line !== undefined) print(line);
    },
  });
  try {
    const found = await findConversation(runtime, settings);
    const parameters = typedParameters(found.agent, settings.parameters);
    if (typeof parameters === "string") throw new CannotStart(parameters);
    const { whose, reviewer } = settings;
    const conversationId = found.conversation.id;
    const input = chatInput(() => leave("SIGINT"));
    session = new ChatSession({
      ...{ runtime, whose, conversationId, reviewer, parameters, input, print },
    });
    const context = { session, runtime, whose, conversationId, print };
    for (const line of greeting(found, pack, settings)) print(line);
    if (input.terminal) print(dim("/help lists the commands"));
    if (found.continued) await showHistory(context, HISTORY_LENGTH);
    const last = await talk(context, input);
    return input.terminal ? 0 : exitCode(last);
  } finally {
    await runtime.close();
    await pack.close();
    await store.close();
  }
}

function print(line: string): void {
  console.log(line);
}

/** What a script learns of its last turn. */
function exitCode(last: TurnEnd | undefined): number {
  return last === "failed" ? 1 : last === "waits" || last === "later" ? 3 : 0;
}

/** With whom, by which model, where it is kept, and which conversation. */
function greeting(
  { agent, conversation, continued }: FoundConversation,
  pack: OpenedPack,
  { model, store }: ChatSettings,
): string[] {
  const named = `${agent.name} (${agent.id} ${agent.version})`;
  return [
    `${styled("bold", named)} of pack ${pack.name}`,
    dim(shownModel(model)),
    dim(
      store.kind === "memory"
        ? "kept in memory until the end; --store chat.sqlite keeps it in a file"
        : `kept in ${shownPlace(store)}`,
    ),
    dim(
      `conversation ${conversation.id}${
        continued ? " goes on; --new opens another" : ""
      }`,
    ),
  ];
}

process.exit(await main(process.argv.slice(2)));
