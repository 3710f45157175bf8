/**
 * A turn as a plain loop would take it, without journal, conversation, policy or account: it asks the model, validates and
 * runs the tool that the model calls, and signs what happened.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { generateKeyPairSync, sign } from "node:crypto";
import { Ajv2020 } from "ajv/dist/2020.js";
import { canonicalJson } from "../../base/canonical_json.ts";

const ajv = new Ajv2020({ allErrors: true, useDefaults: true });
const fitsInput = ajv.compile({
  type: "object",
  properties: { q: { type: "string" } },
  required: ["q"],
  additionalProperties: false,
});
const fitsOutput = ajv.compile({
  type: "object",
  properties: { found: { type: "string" } },
  required: ["found"],
});
const { privateKey } = generateKeyPairSync("ed25519");

interface Message {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string;
  readonly call?: { readonly id: string; readonly arguments: string };
}

/** Takes a turn of so many model calls, each but the last one calling a tool. */
export async function plainTurn(steps: number): Promise<string> {
  const messages: Message[] = [
    { role: "system", content: "Help." },
    { role: "user", content: "Hello" },
  ];
  for (let step = 1;; step++) {
    const answer = await model(JSON.stringify(messages), step < steps);
    const message: Message = JSON.parse(answer);
    messages.push(message);
    if (message.call === undefined) return signed(messages);
    const content = JSON.stringify(await lookup(message.call.arguments));
    messages.push({ role: "tool", content });
  }
}

/** What a model's server would do: it reads a request, and answers with a text. */
function model(request: string, calls: boolean): Promise<string> {
  const { length } = JSON.parse(request) as readonly Message[];
  return Promise.resolve(JSON.stringify(
    calls
      ? {
        role: "assistant",
        content: "",
        call: { id: `k${length}`, arguments: '{"q":"x"}' },
      }
      : { role: "assistant", content: "done" },
  ));
}

async function lookup(text: string): Promise<unknown> {
  const input: unknown = JSON.parse(text);
  if (!fitsInput(input)) throw new Error("the input breaks its schema");
  const output = await Promise.resolve({
    found: (input as { readonly q: string }).q,
  });
  if (!fitsOutput(output)) throw new Error("the output breaks its schema");
  return output;
}

function signed(messages: readonly Message[]): string {
  const text = canonicalJson(messages);
  return sign(null, Buffer.from(text), privateKey).toString("base64");
}
