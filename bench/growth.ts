/**
 * How costs grow with the tools of a pack and of an agent, with a conversation's length and with a journal's. Name one of
 * the curves (`tools`, `agent`, `conversation`, `journal`) to measure only that. What a step costs late in a turn is measured by `turns`.
 *
 * @module
 */

import process from "node:process";
import { conversationLength } from "./growth/conversation_length.ts";
import { journalLength } from "./growth/journal_length.ts";
import { toolsInAPack } from "./growth/tools_in_a_pack.ts";
import { toolsOfAnAgent } from "./growth/tools_of_an_agent.ts";

type Curve = (report: (progress: string) => void) => Promise<string[]>;

const CURVES: Readonly<Record<string, Curve>> = {
  tools: toolsInAPack,
  agent: toolsOfAnAgent,
  conversation: conversationLength,
  journal: journalLength,
};

if (import.meta.main) {
  const given = process.argv.slice(2);
  const unknown = given.filter((name) => !Object.hasOwn(CURVES, name));
  if (unknown.length > 0) {
    console.error(
      `No curve ${unknown.join(", ")}; there are ${
        Object.keys(CURVES).join(", ")
      }`,
    );
    process.exit(2);
  }
  for (const name of given.length > 0 ? given : Object.keys(CURVES)) {
    const lines = await CURVES[name]!((progress) =>
      console.error(`… ${name}: ${progress}`)
    );
    console.log(`${lines.join("\n")}\n`);
  }
}
