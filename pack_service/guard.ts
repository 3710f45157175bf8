/**
 * The guard of an executor that has limits: a worker thread that reports the process's CPU time and memory, also while
 * the main thread spins.
 *
 * It has no permission at all, so it reports on standard error, marked with a secret that pack code doesn't know; the
 * front takes the reports out of the stream again (`spec/executors.md`, Memory and CPU).
 *
 * @module
 */

import { GUARD_INTERVAL_MS, GUARD_SEPARATOR } from "./executor_boot.ts";

const GUARD_SOURCE = `
import process from "node:process";
self.onmessage = ({ data }) => {
  const encoder = new TextEncoder();
  const report = () => {
    const { user, system } = process.cpuUsage();
    const { rss } = Deno.memoryUsage();
    const cpuMs = Math.round((user + system) / 1000);
    const text = data.separator + data.mark + ":" + cpuMs + ":" + rss + data.separator;
    Deno.stderr.writeSync(encoder.encode(text));
  };
  report();
  setInterval(report, data.intervalMs);
  self.postMessage("guarding");
};
`;

/** Starts the guard; settles when it reports. Call it before any pack code is loaded. */
export function startGuard(mark: string): Promise<void> {
  const source = `data:text/javascript,${encodeURIComponent(GUARD_SOURCE)}`;
  const worker = new Worker(source, {
    type: "module",
    name: "guard",
    deno: { permissions: "none" },
  });
  return new Promise((resolve, reject) => {
    worker.onmessage = () => resolve();
    worker.onerror = (event) => reject(new Error(event.message));
    worker.postMessage({
      mark,
      separator: GUARD_SEPARATOR,
      intervalMs: GUARD_INTERVAL_MS,
    });
  });
}
