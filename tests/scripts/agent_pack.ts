/** A pack with an agent, a ledger that its tool writes to, and models that do what a test says. */
import type { DefineAgentSpec } from "../../agents/mod.ts";
import { runIndexer } from "../../indexer/mod.ts";
import { okValue } from "../assert.ts";

/** What a line of the ledger says. */
export interface LedgerLine {
  /** Unique for each time that the tool ran. */
  readonly executionId: string;
  /** What the tool was given for what must happen once. */
  readonly idempotencyKey: string;
  /** Its input. */
  readonly note: string;
}

/** A folder with the pack `acme`, its ledger, its models and room for a store. */
export class AgentPack implements AsyncDisposable {
  /** Everything lies in here. */
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Writes it; `policy` is the agent's conversation policy, and without `index` nobody has indexed it. */
  static async write(
    policy: object = {},
    { index = true }: { readonly index?: boolean } = {},
  ): Promise<AgentPack> {
    const pack = new AgentPack(await Deno.makeTempDir());
    await pack.#write(
      "pack/kindgi.config.mjs",
      `export default { pack: { id: "acme", version: "1.0.0" }, env: { required: ["LEDGER"], optional: ["TOOL_MS"] } };\n`,
    );
    await pack.#write("pack/tools/note.mjs", NOTE_TOOL);
    await pack.#write(
      "pack/agents/clerk.mjs",
      `export default ${
        JSON.stringify({ ...CLERK, conversationPolicy: policy })
      };\n`,
    );
    await pack.#write("models.mjs", MODELS);
    await pack.#write("ledger.jsonl", "");
    if (index) okValue(await runIndexer({ packDir: pack.packDir }));
    return pack;
  }

  get packDir(): string {
    return `${this.folder}/pack`;
  }

  get store(): string {
    return `${this.folder}/store.sqlite`;
  }

  get models(): string {
    return `${this.folder}/models.mjs`;
  }

  /** What the commands are started with. */
  get env(): Record<string, string> {
    return { LEDGER: `${this.folder}/ledger.jsonl`, GATE: this.#gate };
  }

  /** Lets the model go on that was told to `wait`. */
  async openGate(): Promise<void> {
    await Deno.writeTextFile(this.#gate, "");
  }

  /** Every time that the tool ran, in order. */
  async ledger(): Promise<LedgerLine[]> {
    const text = await Deno.readTextFile(this.env.LEDGER!);
    return text.split("\n").filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.folder, { recursive: true });
  }

  get #gate(): string {
    return `${this.folder}/gate`;
  }

  async #write(path: string, text: string): Promise<void> {
    const file = `${this.folder}/${path}`;
    await Deno.mkdir(file.slice(0, file.lastIndexOf("/")), { recursive: true });
    await Deno.writeTextFile(file, text);
  }
}

/** The pack's agent. */
export const CLERK: DefineAgentSpec = {
  id: "acme.clerk",
  version: "1.0.0",
  name: "Clerk",
  instructions: "You keep notes for {{ firm }}.",
  parameters: [{ name: "firm", type: "string", default: "Acme" }],
  capabilities: [{ needs: [{ feature: "tool-use" }] }],
  tools: [{ id: "acme.note", version: "^1.0.0" }],
  retrieval: [],
  guardrails: [],
};

/** Its answer takes `TOOL_MS` milliseconds after what it did. */
const NOTE_TOOL = `import { appendFileSync } from "node:fs";
import process from "node:process";
export default {
  id: "acme.note",
  version: "1.0.0",
  description: "Keeps a note",
  input: { type: "object", properties: { note: { type: "string" } }, required: ["note"] },
  output: {},
  handler: async ({ note }, { idempotencyKey }) => {
    const executionId = crypto.randomUUID();
    appendFileSync(process.env.LEDGER, JSON.stringify({ executionId, idempotencyKey, note }) + "\\n");
    await new Promise((go) => setTimeout(go, Number(process.env.TOOL_MS ?? 0)));
    return { executionId };
  },
};
`;

/**
 * `note A B` makes it call the tool for A, then for B, then say `noted A B`; `wait` holds the answer back until the gate is
 * open; `fail` fails; anything else is said back. Each answer takes `MODEL_MS` milliseconds.
 */
const MODELS = `import { existsSync } from "node:fs";
import process from "node:process";
const usage = { promptTokens: 2, completionTokens: 1 };
export default {
  metadata: {
    id: "told",
    region: "here",
    models: [{
      name: "told-1",
      contextWindow: 100000,
      features: ["tool-use"],
      cost: { promptUsdPer1kTokens: 0, completionUsdPer1kTokens: 0 },
    }],
  },
  async invoke({ model, messages }) {
    const answer = (content, toolCalls) => ({
      message: { role: "assistant", content, ...(toolCalls ? { toolCalls } : {}) },
      finishReason: toolCalls ? "tool-use" : "stop",
      usage, costUsd: 0, durationMs: 0, provider: { id: "told", model: "told-1" },
    });
    const takes = Number(process.env.MODEL_MS ?? 0);
    if (takes > 0) await new Promise((go) => setTimeout(go, takes));
    const at = messages.findLastIndex(({ role }) => role === "user");
    const said = messages[at].content;
    const done = messages.slice(at).filter(({ role }) => role === "tool").length;
    if (said === "fail") throw new Error("The model was told to fail");
    if (said === "wait") {
      while (!existsSync(process.env.GATE)) await new Promise((go) => setTimeout(go, 20));
      return answer("waited");
    }
    if (!said.startsWith("note ")) return answer("You said: " + said);
    const notes = said.split(" ").slice(1);
    if (done === notes.length) return answer("noted " + notes.join(" "));
    return answer("", [{ id: "n" + done, name: "acme.note", arguments: { note: notes[done] } }]);
  },
};
`;
