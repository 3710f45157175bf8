/**
 * How a cost grows: each size beside the smallest.
 *
 * @module
 */

/** What was measured at one size: costs by name, in a unit that the name tells. */
export interface SizeCosts {
  /** How many of whatever grows. */
  readonly size: number;
  /** The costs. */
  readonly costs: Readonly<Record<string, number>>;
}

/**
 * Lines of a table: a row a size, and for each cost what it is and how many times the smallest size's it is. A cost that
 * grows with the size should grow no faster than the size itself; one that doesn't should stay near 1.
 */
export function growthTable(
  unit: string,
  rows: readonly SizeCosts[],
): string[] {
  const first = rows[0];
  if (first === undefined) return [];
  const names = Object.keys(first.costs);
  const head = [unit, "size ×", ...names.flatMap((name) => [name, "×"])];
  const body = rows.map(({ size, costs }) => [
    String(size),
    times(size / first.size),
    ...names.flatMap((name) => {
      const cost = costs[name] ?? NaN;
      return [shown(cost), times(cost / (first.costs[name] ?? NaN))];
    }),
  ]);
  const widths = head.map((title, column) =>
    Math.max(title.length, ...body.map((row) => row[column]!.length))
  );
  return [head, ...body].map((row) =>
    row.map((cell, column) => cell.padStart(widths[column]!)).join("  ")
  );
}

function shown(cost: number): string {
  return cost >= 100 ? cost.toFixed(0) : cost.toPrecision(3);
}

function times(ratio: number): string {
  return ratio >= 100 ? ratio.toFixed(0) : ratio.toFixed(2);
}
