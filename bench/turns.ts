/**
 * Turns per second beside the loops of `ai`, `@openai/agents` and `@langchain/langgraph`: a model that answers at once, one
 * tool call a step. Ours journals every step and keeps conversation, usage and provenance; of the peers LangGraph alone
 * keeps anything (its memory saver).
 *
 * The peers are installed by npm into a folder of their own, and run on Node, where most of their users run them, and on Deno.
 * Contestants take turns round by round, so that the machine's other work meets them alike.
 *
 * @module
 */
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type ChildProcess, spawn } from "node:child_process";
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { median } from "./server_process.ts";

const PEERS = ["ai", "@openai/agents", "@langchain/langgraph"] as const;
const OURS = "ours";
/** What the peers run on, and how it is started. */
const RUNTIMES: Readonly<Record<string, readonly string[]>> = {
  Node: ["node"],
  Deno: [process.execPath, "run", "-A", "--node-modules-dir=manual"],
};
const PACKAGES = [
  "ai@7",
  "@openai/agents@0.20",
  "@langchain/langgraph@1.7",
  "@langchain/core@1.4",
  "zod@4",
];
const STEPS = [1, 2, 10] as const;
const ROUNDS = 9;
/** A long turn, whose late steps are held against its early ones, and how many of them. */
const LONG = 31;
const LONG_TURNS = 200;
/** Turns of a round, by model steps. */
const TURNS: Readonly<Record<number, number>> = { 1: 300, 2: 200, 10: 50 };

/**
 * Rounds before the one that counts. While the others had theirs, V8 collected all that this one's turns were made of, and
 * with it what it had optimized for them: a busy process never gets there.
 */
const WARM_ROUNDS = 1;

/** How long the one before is given to collect its garbage, in ms: it would take the time from the next. */
const SETTLE_MS = 200;

/** A process that answers lines with milliseconds. */
class Contestant {
  readonly #process: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(command: string, args: readonly string[], cwd: string) {
    this.#process = spawn(command, args, {
      cwd,
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.#lines = createInterface({ input: this.#process.stdout! })
      [Symbol.asyncIterator]();
  }

  /** Turns per second over some turns. */
  async rate(name: string, steps: number, turns: number): Promise<number> {
    return turns / await this.ask<number>(name, steps, turns) * 1_000;
  }

  /** What it answers to a line. */
  async ask<Answer>(
    name: string,
    steps: number,
    turns: number,
  ): Promise<Answer> {
    this.#process.stdin!.write(`${name} ${steps} ${turns}\n`);
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`${name} ended`);
    return JSON.parse(value);
  }

  /** Ends it. */
  stop(): void {
    this.#process.stdin!.end();
  }
}

async function install(folder: string): Promise<void> {
  await writeFile(join(folder, "package.json"), '{"private":true}');
  const npm = spawn(
    "npm",
    ["install", "--no-audit", "--no-fund", ...PACKAGES],
    {
      cwd: folder,
      stdio: ["ignore", "ignore", "inherit"],
    },
  );
  const code = await new Promise((done) => npm.on("close", done));
  if (code !== 0) throw new Error(`npm install ended with ${code}`);
}

if (import.meta.main) {
  const given = process.argv[2];
  const folder = given ?? await mkdtemp(join(tmpdir(), "kindgi-bench-"));
  if (given === undefined) await install(folder);
  const here = (name: string) =>
    fileURLToPath(new URL(`turns/${name}`, import.meta.url));
  const ours = new Contestant(
    process.execPath,
    ["run", "-A", "--no-check", here("our_loop.ts")],
    fileURLToPath(new URL("..", import.meta.url)),
  );
  // Beside the packages, where their names resolve.
  await copyFile(here("peer_loops.mjs"), join(folder, "peer_loops.mjs"));
  const contestants: {
    readonly label: string;
    readonly name: string;
    readonly process: Contestant;
  }[] = [{ label: OURS, name: OURS, process: ours }];
  for (const [runtime, [command, ...args]] of Object.entries(RUNTIMES)) {
    const process = new Contestant(
      command!,
      [...args, "peer_loops.mjs"],
      folder,
    );
    for (const name of PEERS) {
      contestants.push({ label: `${name} on ${runtime}`, name, process });
    }
  }
  try {
    for (const steps of STEPS) {
      const turns = TURNS[steps]!;
      const rates = new Map<string, number[]>();
      for (const { label, name, process } of contestants) {
        rates.set(label, []);
        await process.rate(name, steps, 6 * turns);
      }
      for (let round = 0; round < ROUNDS; round++) {
        for (const { label, name, process } of contestants) {
          await setTimeout(SETTLE_MS);
          await process.rate(name, steps, WARM_ROUNDS * turns);
          rates.get(label)!.push(await process.rate(name, steps, turns));
        }
      }
      console.log(
        `${steps} model ${
          steps === 1 ? "step" : "steps"
        }: turns a second, and ours beside it`,
      );
      for (const [label, own] of rates) {
        const ratio = median(
          rates.get(OURS)!.map((rate, round) => rate / own[round]!),
        );
        console.log(
          `  ${label.padEnd(30)}${median(own).toFixed(0).padStart(6)}  ${
            ratio.toFixed(2)
          }`,
        );
      }
    }
    const gaps = await ours.ask<number[]>("gaps", LONG, LONG_TURNS);
    console.log(
      `step ${LONG - 1} of ours, to step 2: ${
        (gaps[LONG - 2]! / gaps[1]!).toFixed(2)
      }`,
    );
  } finally {
    for (const { process } of contestants) process.stop();
    if (given === undefined) await rm(folder, { recursive: true, force: true });
  }
}
