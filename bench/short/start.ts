/**
 * Start-up of the pack service.
 *
 * @module
 */

import { median, startScript, startService } from "../server_process.ts";
import type { Measurement } from "./measurement.ts";

const ROUNDS = 5;

/** From a process's start until it listens, beside a hello-world server's. */
export const START: Measurement = {
  figures: ["start"],
  async measure() {
    const ratios: number[] = [];
    // The first start may have to make the executor's bundle, and counts for nothing.
    for (let round = -1; round < ROUNDS; round++) {
      const hello = await startScript("hello.ts");
      await hello.stop();
      const service = await startService();
      await service.stop();
      if (round >= 0) ratios.push(hello.startedInMs / service.startedInMs);
    }
    return { start: median(ratios) };
  },
};
