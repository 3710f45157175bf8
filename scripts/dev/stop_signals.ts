/**
 * Being told to stop.
 *
 * @module
 */
import process from "node:process";

/** How often to look whether the task runner is still there, in milliseconds. */
const LOOK_MS = 250;

/**
 * Settles with the first signal that asks this process to end, and when the task runner that started it is gone: killed,
 * `deno task` can pass nothing on. From then on further signals do nothing.
 */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.on(signal, () => resolve());
    }
    // Set by task runners alone; a shell may well go before what it has started.
    if (process.env.INIT_CWD === undefined) return;
    const runner = process.ppid;
    const look = setInterval(() => {
      if (process.ppid === runner) return;
      clearInterval(look);
      resolve();
    }, LOOK_MS);
  });
}
