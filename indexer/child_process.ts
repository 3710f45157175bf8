/**
 * Starting the process that reads a pack, and listening to it.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
import { endWithParent } from "../base/end_with_parent.ts";
import { runtimeExecutable } from "../base/platform.ts";
import type { Result } from "../base/result.ts";
import {
  type ChildMessage,
  type ChildRequest,
  readMessageLine,
} from "./child_messages.ts";
import type { CollectedPack, FileStart } from "./collect.ts";
import type { RunFailure } from "./errors.ts";

/** What a child is started with. */
export interface ChildStart {
  /** Arguments of the runtime, the entry's path last. */
  readonly args: readonly string[];
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** The working folder. */
  readonly cwd: string;
  /** What it is to read. */
  readonly options: ChildRequest["options"];
  /** Whether each module is to be imported by itself. */
  readonly oneByOne: boolean;
  /** Ends it at once. */
  readonly signal: AbortSignal;
  /** How long it may be silent, in ms: how long one import may take. */
  readonly silenceMs: number;
  /** Told of each file before it is imported. */
  readonly onFile: (file: FileStart) => void;
  /** Takes what the pack's code prints, on either stream. */
  readonly onOutput: (text: string) => void;
}

/** How a child ended. */
export interface ChildEnd {
  /** What it answered; absent when it ended before it could. */
  readonly outcome?: Result<CollectedPack, RunFailure>;
  /** Whether it got as far as importing anything of the pack. */
  readonly ready: boolean;
  /** Whether it ended while it imported many modules at once: any of them may have been the reason. */
  readonly together: boolean;
  /** The files that it began to import, in order. */
  readonly files: readonly FileStart[];
  /** What became of it, as the end of a sentence: its exit code or the signal that ended it. */
  readonly ending: string;
}

/** Longest wait for the output of a child that has ended, in ms: a program that it started may hold its streams. */
const OUTPUT_END_MS = 2_000;

/**
 * Runs a child to its end; it doesn't outlive this process.
 *
 * @throws {Error} If the process can't be started.
 */
export async function runChild(start: ChildStart): Promise<ChildEnd> {
  const mark = `${randomUUID()} `;
  const files: FileStart[] = [];
  let ready = false;
  let together = false;
  let outcome: ChildEnd["outcome"];
  const take = (message: ChildMessage) => {
    switch (message.type) {
      case "ready":
        ready = true;
        break;
      case "together":
        together = message.begins;
        break;
      case "file":
        files.push(message.file);
        start.onFile(message.file);
        break;
      case "outcome":
        outcome = message.outcome;
    }
  };
  const [program = "", ...args] = [
    ...endWithParent(),
    runtimeExecutable(),
    ...start.args,
  ];
  return await new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: start.cwd,
      env: { ...start.env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    const kill = () => void child.kill("SIGKILL");
    start.signal.addEventListener("abort", kill);
    let killed = false;
    const watch = setTimeout(() => {
      killed = true;
      kill();
    }, start.silenceMs);
    const lines = createInterface({ input: child.stdout });
    lines.on("line", (line) => {
      const message = readMessageLine(mark, line);
      if (!message) return start.onOutput(`${line}\n`);
      watch.refresh();
      take(message);
    });
    const read = Promise.all([
      new Promise((done) => lines.once("close", done)),
      new Promise((done) => child.once("close", done)),
    ]);
    child.stderr.setEncoding("utf8");
    child.stderr.on("data", start.onOutput);
    child.once("error", (error) => {
      clearTimeout(watch);
      reject(error);
    });
    child.once("exit", async (code, signal) => {
      clearTimeout(watch);
      start.signal.removeEventListener("abort", kill);
      const ending = killed
        ? `was killed after ${start.silenceMs} ms`
        : `ended with ${signal === null ? `exit code ${code}` : signal}`;
      const cutOff = setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
        lines.close();
      }, OUTPUT_END_MS);
      await read;
      clearTimeout(cutOff);
      const answered = outcome ? { outcome } : {};
      resolve({ ...answered, ready, together, files, ending });
    });
    // A child that ended at once has closed its end; how it ended says more than the broken pipe.
    child.stdin.on("error", () => {});
    const { options, oneByOne } = start;
    const request: ChildRequest = { mark, options, oneByOne };
    child.stdin.end(JSON.stringify(request));
  });
}
