/**
 * The measurements of the short form.
 *
 * @module
 */

import { CALLS } from "./calls.ts";
import { IN_PROCESS } from "./in_process.ts";
import { INDEXING } from "./indexing.ts";
import type { Measurement } from "./measurement.ts";
import { RENDERING } from "./rendering.ts";
import { START } from "./start.ts";
import { LATE_STEP, LONG_CONVERSATION, SQLITE_TURN, TURN } from "./turns.ts";

const MEASUREMENTS: readonly Measurement[] = [
  CALLS,
  IN_PROCESS,
  START,
  INDEXING,
  RENDERING,
  TURN,
  SQLITE_TURN,
  LONG_CONVERSATION,
  LATE_STEP,
];

/** Those that measure any of some figures. */
export function measurementsOf(figures: readonly string[]): Measurement[] {
  return MEASUREMENTS.filter((measurement) =>
    measurement.figures.some((figure) => figures.includes(figure))
  );
}
