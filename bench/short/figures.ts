/**
 * The figures of the short form: what they are, and when one has fallen.
 *
 * @module
 */

/** What each figure is. All of them are better when higher. */
export const FIGURES: Readonly<Record<string, string>> = {
  "calls": "calls a second of the pack service, to a bare server's",
  "calls-processor":
    "the same by processor time, of all the service's processes",
  "supervisor": "calls a second through the supervisor, to those without it",
  "supervisor-processor": "the same by processor time, of all processes",
  "in-process":
    "calls in process (handle), to a bare handler's, by processor time",
  "start": "start-up of a hello-world server, to the pack service's",
  "indexer": "importing 250 tools, to indexing them, by processor time",
  "rendering":
    "renders by processor time in a worker process, to those in process",
  "turn": "turns of two steps in memory, to a plain loop of the same work",
  "sqlite": "turns of two steps on SQLite, to those in memory",
  "long-conversation":
    "turns with 1 000 messages before them, to those with 10",
  "late-step": "what step 2 of a turn takes, to step 30",
};

/** A figure that falls below this share of the recorded one has fallen. */
export const FALLEN_BELOW = 2 / 3;

/** How a figure stands beside the recorded one. */
export interface ComparedFigure {
  /** Its name. */
  readonly name: string;
  /** The recorded ratio. */
  readonly recorded: number;
  /** The best ratio measured now. */
  readonly now: number;
  /** How often it was measured. */
  readonly tries: number;
  /** Whether it has fallen by more than a third. */
  readonly fallen: boolean;
}

/** Whether a ratio is a fall by more than a third; one that isn't a number is, too. */
export function hasFallen(recorded: number, now: number): boolean {
  return !(now >= recorded * FALLEN_BELOW);
}

/** Compares what was measured of a figure, one ratio a try, with the recorded ratio: the best one counts. */
export function compareFigure(
  name: string,
  recorded: number,
  measured: readonly number[],
): ComparedFigure {
  const now = measured.reduce(
    (best, one) => best >= one ? best : one,
    -Infinity,
  );
  const fallen = hasFallen(recorded, now);
  return { name, recorded, now, tries: measured.length, fallen };
}

/** The lines of a table of figures: recorded, now, and how they compare. */
export function figureTable(figures: readonly ComparedFigure[]): string[] {
  const rows = figures.map(({ name, recorded, now, tries, fallen }) => [
    name,
    recorded.toFixed(3),
    now.toFixed(3),
    (now / recorded).toFixed(2),
    (fallen ? "FALLEN" : "ok") + (tries > 1 ? ` (${tries} tries)` : ""),
  ]);
  const head = ["figure", "recorded", "now", "×", ""];
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]!.length))
  );
  return [head, ...rows].map((row) =>
    row.map((cell, column) =>
      column === 0 || column === 4
        ? cell.padEnd(widths[column]!)
        : cell.padStart(widths[column]!)
    ).join("  ").trimEnd()
  );
}
