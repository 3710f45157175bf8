/**
 * Being told to stop half-way.
 *
 * @module
 */
import { constants } from "node:os";
import process from "node:process";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * When a signal asks this process to end, runs `clean` and ends it with the exit code that stands for the signal. Answers
 * how to stop listening.
 */
export function beforeStopping(clean: () => void): () => void {
  const undo = SIGNALS.map((signal) => {
    const stop = () => {
      clean();
      process.exit(128 + constants.signals[signal]);
    };
    process.on(signal, stop);
    return () => void process.off(signal, stop);
  });
  return () => undo.forEach((restore) => restore());
}
