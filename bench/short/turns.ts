/**
 * Turns of an agent whose model answers at once.
 *
 * @module
 */

import {
  type AgentRuntime,
  createMemoryStore,
  createStaticKeyProvider,
  generateSigningKey,
  type KeyProvider,
} from "../../agents/mod.ts";
import { openConversation, stageOf, STORES, takeTurn } from "../agent_stage.ts";
import { conversationOf } from "../growth/conversation_length.ts";
import { stepGaps } from "../turns/step_gaps.ts";
import { type Measurement, type Work, workRatio } from "./measurement.ts";
import { plainTurn } from "./plain_loop.ts";

const STEPS = 2;
const ROUNDS = 7;
/** Turns of a round. */
const TURNS = 40;
const PLAIN_TURNS = 200;
/** Messages before a turn, few and many. */
const [FEW, MANY] = [10, 1_000];
const HISTORY_LIMIT = 8;
/** A long turn, whose late steps are held against its early ones, and how many of them. */
const LONG = 31;
const LONG_TURNS = 120;

let keys: Promise<KeyProvider> | undefined;

function keyProvider(): Promise<KeyProvider> {
  return keys ??= generateSigningKey().then(createStaticKeyProvider);
}

/** Turns, each in a conversation of its own. */
function turnsOf(runtime: AgentRuntime): Work {
  return {
    times: TURNS,
    once: async () => takeTurn(runtime, await openConversation(runtime)),
  };
}

/** Turns in memory, everything on, beside a loop that keeps nothing. */
export const TURN: Measurement = {
  figures: ["turn"],
  async measure() {
    const runtime = stageOf({
      store: createMemoryStore(),
      steps: STEPS,
      keyProvider: await keyProvider(),
    });
    const turn = await workRatio({
      own: turnsOf(runtime),
      reference: { times: PLAIN_TURNS, once: () => plainTurn(STEPS) },
      rounds: ROUNDS,
    });
    await runtime.close();
    return { turn };
  },
};

/** Turns on a file, beside turns in memory. */
export const SQLITE_TURN: Measurement = {
  figures: ["sqlite"],
  async measure() {
    await using memory = await STORES.memory!();
    await using sqlite = await STORES.SQLite!();
    const [reference, own] = await Promise.all(
      [memory, sqlite].map(async ({ store }) =>
        stageOf({ store, steps: STEPS, keyProvider: await keyProvider() })
      ),
    );
    const ratio = await workRatio({
      own: turnsOf(own!),
      reference: turnsOf(reference!),
      rounds: ROUNDS,
    });
    await own!.close();
    await reference!.close();
    return { sqlite: ratio };
  },
};

/** Turns in a long conversation, beside those in a short one. */
export const LONG_CONVERSATION: Measurement = {
  figures: ["long-conversation"],
  async measure() {
    const store = createMemoryStore();
    const runtime = stageOf({ store, steps: 1, historyLimit: HISTORY_LIMIT });
    const inOne = async (length: number): Promise<Work> => {
      const id = await conversationOf(store, runtime, length);
      return { times: TURNS, once: () => takeTurn(runtime, id) };
    };
    const ratio = await workRatio({
      own: await inOne(MANY),
      reference: await inOne(FEW),
      rounds: ROUNDS,
    });
    await runtime.close();
    return { "long-conversation": ratio };
  },
};

/** A late step of a turn, beside an early one. */
export const LATE_STEP: Measurement = {
  figures: ["late-step"],
  async measure() {
    const gaps = await stepGaps({
      store: createMemoryStore(),
      steps: LONG,
      turns: LONG_TURNS,
      keyProvider: await keyProvider(),
    });
    // From the second call to the third, and from the one before the last to the last.
    return { "late-step": gaps[1]! / gaps[LONG - 2]! };
  },
};
