/**
 * How costs grow with tools in a pack and with a conversation's length. Name one of the curves (`tools`, `conversation`)
 * to measure only that. What a step costs late in a turn is measured by `turns`.
 *
 * @module
 */

import process from "node:process";
import { conversationLength } from "./growth/conversation_length.ts";
import { toolsInAPack } from "./growth/tools_in_a_pack.ts";

type Curve = (report: (progress: string) => void) => Promise<string[]>;

const CURVES: Readonly<Record<string, Curve>> = {
  tools: toolsInAPack,
  conversation: conversationLength,
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
