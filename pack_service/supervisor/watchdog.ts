/**
 * The watchdog: a tiny process that outlives a supervisor killed with SIGKILL just long enough to end its children.
 *
 * It is a POSIX shell that reads the process groups to watch from a pipe, one list a line. The pipe ends when the
 * supervisor's process does, however it does, and then the groups of the last complete line are killed. A shell, not
 * our own script: it needs no permission, no module cache and no second runtime, and starts in a millisecond.
 *
 * @module
 */

import { type ChildProcess, spawn } from "node:child_process";

// `read` fails on a line without an end, so a list that was cut off while being written never counts.
// The signals of a terminal's Ctrl+C are ignored: the watchdog goes when the pipe ends, never before.
const SCRIPT = `trap '' INT TERM HUP
groups=
while read -r line; do groups=$line; done
for group in $groups; do kill -s KILL -- "-$group"; done`;

/** Watches over process groups; runs a process only while there is a group to watch. */
export interface Watchdog {
  /** Starts the watchdog's process, so that a group can be watched the moment it exists. */
  ready(): void;
  /** From now on this group dies with the supervisor's process. */
  watch(group: number): void;
  /** The group is gone: its number may soon be someone else's. */
  forget(group: number): void;
  /** Ends the watchdog if there is nothing to watch; resolves when it is gone. */
  settle(): Promise<void>;
}

/** Creates a watchdog; no process is started yet. */
export function createWatchdog(): Watchdog {
  const groups = new Set<number>();
  let shell: { process: ChildProcess; ended: Promise<void> } | undefined;

  const ready = (): void => {
    if (shell !== undefined) return;
    const process = spawn("/bin/sh", ["-c", SCRIPT], {
      // In a session of its own, so that what is sent to the supervisor's group doesn't reach it.
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
      env: {},
    });
    const ended = new Promise<void>((resolve) => {
      process.once("exit", () => resolve());
      process.once("error", () => resolve());
    });
    process.stdin?.on("error", () => {}); // It was killed; `ended` says so.
    const started = shell = { process, ended };
    void ended.then(() => {
      if (shell !== started) return;
      shell = undefined;
      if (groups.size > 0 && process.pid !== undefined) write();
    });
  };
  const write = (): void => {
    ready();
    shell?.process.stdin?.write(`${[...groups].join(" ")}\n`);
  };
  return {
    ready,
    watch: (group) => {
      groups.add(group);
      write();
    },
    forget: (group) => {
      groups.delete(group);
      if (shell !== undefined) write();
    },
    settle: async () => {
      if (groups.size > 0 || shell === undefined) return;
      const { process, ended } = shell;
      shell = undefined;
      process.stdin?.end();
      await ended;
    },
  };
}
