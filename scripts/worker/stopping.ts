/**
 * Being told to stop, twice if need be.
 *
 * @module
 */
import process from "node:process";
import { untilStopped } from "../dev/stop_signals.ts";

/** A terminal and the task runner may both pass on one Ctrl+C: signals this close, in milliseconds, are one. */
const SAME_SIGNAL_MS = 500;

/** Aborts with the first signal; a second one calls `endAtOnce`. */
export function stopSignal(endAtOnce: () => void): AbortSignal {
  const stopping = new AbortController();
  void untilStopped().then(() => {
    const first = performance.now();
    stopping.abort();
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.on(signal, () => {
        if (performance.now() - first > SAME_SIGNAL_MS) endAtOnce();
      });
    }
  });
  return stopping.signal;
}
