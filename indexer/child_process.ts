/**
 * Starting the process that reads a pack, and listening to it.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
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
  /** The files that it began to import, in order. */
  readonly files: readonly FileStart[];
  /** What became of it, as the end of a sentence: its exit code or the signal that ended it. */
  readonly ending: string;
}

/**
 * Runs a child to its end.
 *
 * @throws {Error} If the process can't be started.
 */
export function runChild(start: ChildStart): Promise<ChildEnd> {
  const mark = `${randomUUID()} `;
  const files: FileStart[] = [];
  let ready = false;
  let outcome: ChildEnd["outcome"];
  const take = (message: ChildMessage) => {
    switch (message.type) {
      case "ready":
        ready = true;
        break;
      case "file":
        files.push(message.file);
        start.onFile(message.file);
        break;
      case "outcome":
        outcome = message.outcome;
    }
  };
  return new Promise((resolve, reject) => {
    const child = spawn(runtimeExecutable(), [...start.args], {
      cwd: start.cwd,
      env: { ...start.env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    let killed = false;
    const watch = setTimeout(() => {
      killed = true;
      child.kill("SIGKILL");
    }, start.silenceMs);
    const lines = createInterface({ input: child.stdout });
    lines.on("line", (line) => {
      const message = readMessageLine(mark, line);
      if (!message) return start.onOutput(`${line}\n`);
      watch.refresh();
      take(message);
    });
    const closed = new Promise<void>((done) => lines.once("close", done));
    child.stderr.setEncoding("utf8");
    child.stderr.on("data", start.onOutput);
    child.once("error", (error) => {
      clearTimeout(watch);
      reject(error);
    });
    child.once("close", (code, signal) => {
      clearTimeout(watch);
      const ending = killed
        ? `was killed after ${start.silenceMs} ms`
        : `ended with ${signal === null ? `exit code ${code}` : signal}`;
      closed.then(() =>
        resolve({ ...(outcome ? { outcome } : {}), ready, files, ending })
      );
    });
    // A child that ended at once has closed its end; how it ended says more than the broken pipe.
    child.stdin.on("error", () => {});
    const request: ChildRequest = { mark, options: start.options };
    child.stdin.end(JSON.stringify(request));
  });
}
