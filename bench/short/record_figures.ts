/**
 * `deno task bench --record`: takes the figures that later runs are held against.
 *
 * @module
 */

import {
  CannotCompare,
  type FiguresFile,
  otherMachine,
  readFigures,
  type RecordedFigure,
  recordedOf,
  thisMachine,
  writeFigures,
} from "./figures_file.ts";
import { FIGURES } from "./figures.ts";
import { measurementsOf } from "./measurements.ts";

/** How many runs a figure is taken from. */
const RUNS = 5;

/** Measures figures and writes them to the file; the others stay as they were recorded, on this machine. */
export async function recordFigures(names: readonly string[]): Promise<void> {
  const machine = thisMachine();
  const figures: Record<string, RecordedFigure> = {};
  if (names.length < Object.keys(FIGURES).length) {
    Object.assign(figures, (await readOwn(machine)).figures);
  }
  const measured: Record<string, number>[] = [];
  // All of them by turns: what disturbs the machine for a minute doesn't meet each run of a figure.
  for (let run = 1; run <= RUNS; run++) {
    const ratios: Record<string, number> = {};
    for (const measurement of measurementsOf(names)) {
      Object.assign(ratios, await measurement.measure());
    }
    measured.push(ratios);
    console.error(`… ${run} of ${RUNS} runs`);
  }
  for (const name of names) {
    const figure = recordedOf(measured.map((one) => one[name]!));
    figures[name] = figure;
    const [lowest, highest] = figure.range;
    console.log(
      `${name.padEnd(22)}${figure.ratio} (${lowest} to ${highest})`,
    );
  }
  await writeFigures({ machine, figures });
}

/** The recorded figures, if they are this machine's: those of two machines don't go into one file. */
async function readOwn(
  machine: FiguresFile["machine"],
): Promise<FiguresFile> {
  const recorded = await readFigures([]);
  const other = otherMachine(recorded.machine, machine);
  if (other === undefined) return recorded;
  throw new CannotCompare(
    `${other}; \`deno task bench --record\` without names records all of them here`,
  );
}
