/**
 * Starting an executor's process and connecting its channel.
 *
 * @module
 */

import { join } from "@std/path/posix/join";
import { listenLocal, removePath, spawnProcess } from "../base/platform.ts";
import { err, ok, type Result } from "../base/result.ts";
import { lastLines } from "./bundle.ts";
import type { ExecutorBoot } from "./executor_boot.ts";
import { ExecutorProcess } from "./executor_process.ts";
import type { ProcessListener } from "./process_loss.ts";
import { jsonPayload, loadFrameWriting } from "./frames.ts";
import { forEachLine, guardFilter, withoutPose } from "./output_lines.ts";
import type { LimitsDeclaration } from "./sandbox.ts";

/** How to start an executor. */
export interface ExecutorLaunch {
  /** `shared`, `tool <id>@<version>` or `check <id>`. */
  readonly name: string;
  /** The command for a channel at the given socket. */
  readonly command: (socketPath: string) => readonly string[];
  /** The process's whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** The first frame. */
  readonly boot: ExecutorBoot;
  /** What it may use. */
  readonly limits: LimitsDeclaration | undefined;
  /** Longest answer in bytes, its frame included. */
  readonly maxAnswerBytes: number;
}

/** Where an executor's output goes. */
export interface ExecutorOutput {
  /** Takes a line of standard output. */
  readonly stdout: (line: string) => void;
  /** Takes a line of standard error. */
  readonly stderr: (line: string) => void;
}

let nextSocket = 1;

/**
 * Starts a process and hands it its first frame; it is usable once the listener hears `booted`. The error says why it
 * ended before it was connected.
 */
export async function launchExecutor(
  launch: ExecutorLaunch,
  socketFolder: string,
  output: ExecutorOutput,
  listener: ProcessListener,
): Promise<Result<ExecutorProcess, string>> {
  const socketPath = join(socketFolder, `${nextSocket++}.sock`);
  const socket = listenLocal(socketPath);
  let executor: ExecutorProcess | undefined;
  let lastWords = "";
  try {
    const child = await spawnProcess({
      command: launch.command(socketPath),
      env: launch.env,
    });
    loadFrameWriting();
    const said = (text: string): void => {
      lastWords = `${lastWords}${text}`.slice(-2_000);
      executor?.said(text);
      output.stderr(withoutPose(text));
    };
    const mark = launch.boot.guardMark;
    const filter = mark === undefined
      ? undefined
      : guardFilter(mark, (usage) => executor?.used(usage));
    const printed = Promise.all([
      forEachLine(child.stdout, (text) => output.stdout(withoutPose(text))),
      forEachLine(child.stderr, said, filter),
    ]).then(() => {});
    const connected = await Promise.race([
      socket.accept(),
      child.ended.then(() => undefined),
    ]);
    if (connected === undefined) {
      const end = await child.ended;
      await printed;
      return err(
        `it ended before it was connected (${
          end.signal ?? `exit code ${end.code}`
        }): ${lastLines(lastWords)}`,
      );
    }
    executor = new ExecutorProcess(
      child,
      connected,
      jsonPayload(launch.boot),
      {
        listener,
        limits: launch.limits,
        maxAnswerBytes: launch.maxAnswerBytes,
        printed,
      },
    );
    return ok(executor);
  } catch (error) {
    return err((error as Error).message);
  } finally {
    socket.close();
    await removePath(socketPath).catch(() => {});
  }
}
