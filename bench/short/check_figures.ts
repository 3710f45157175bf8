/**
 * `deno task bench --check`: whether a figure has fallen by more than a third.
 *
 * @module
 */

import { type ComparedFigure, compareFigure, figureTable } from "./figures.ts";
import { otherMachine, readFigures, thisMachine } from "./figures_file.ts";
import type { Measurement } from "./measurement.ts";
import { measurementsOf } from "./measurements.ts";

/** How often a figure is measured before it counts as fallen: other work on the machine disturbs some of them. */
const TRIES = 5;

/** Measures figures, prints them beside the recorded ones, and answers the exit code: 1 when one has fallen. */
export async function checkFigures(names: readonly string[]): Promise<number> {
  const { machine, figures } = await readFigures(names);
  const other = otherMachine(machine, thisMachine());
  if (other !== undefined) console.error(`bench: ${other}\n`);
  const compared: ComparedFigure[] = [];
  for (const measurement of measurementsOf(names)) {
    compared.push(
      ...await compareUntilGood(measurement, (name) => {
        const recorded = names.includes(name) ? figures[name] : undefined;
        return recorded?.ratio;
      }),
    );
  }
  console.log(figureTable(compared).join("\n"));
  const fallen = compared.filter((figure) => figure.fallen);
  if (fallen.length === 0) return 0;
  console.error(
    `\nbench: fallen by more than a third, at each of ${TRIES} tries: ${
      fallen.map(({ name }) => name).join(", ")
    }. Where that is meant, \`deno task bench --record\` records it`,
  );
  return 1;
}

/** Measures until no figure seems fallen any more, or often enough; figures without a recorded ratio don't count. */
async function compareUntilGood(
  measurement: Measurement,
  recordedOf: (name: string) => number | undefined,
): Promise<ComparedFigure[]> {
  const names = measurement.figures.filter((name) =>
    recordedOf(name) !== undefined
  );
  const measured: Record<string, number>[] = [];
  for (;;) {
    measured.push(await measurement.measure());
    const compared = names.map((name) =>
      compareFigure(name, recordedOf(name)!, measured.map((one) => one[name]!))
    );
    const fallen = compared.filter((figure) => figure.fallen);
    if (fallen.length === 0 || measured.length === TRIES) return compared;
    console.error(
      `… ${
        fallen.map(({ name, now }) => `${name} ${now.toFixed(3)}`).join(", ")
      } seems fallen: again`,
    );
  }
}
