/**
 * `bench/figures.json`: the recorded figures, and what they were taken on.
 *
 * @module
 */

import { readFile, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { isRecord } from "../../base/result.ts";
import { FIGURES } from "./figures.ts";

/** A recorded figure. */
export interface RecordedFigure {
  /** What is compared with: of the runs that it was taken from, the lowest ratio but one. */
  readonly ratio: number;
  /** The lowest and the highest. */
  readonly range: readonly [number, number];
}

/** What figures depend on, though they are ratios. */
export interface BenchMachine {
  /** How many cores of which processor, such as `2 × AMD EPYC`. */
  readonly processor: string;
  /** System and processor family, such as `x86_64-unknown-linux-gnu`. */
  readonly system: string;
  /** Deno's version. */
  readonly deno: string;
}

/** The file's content. */
export interface FiguresFile {
  /** What they were taken on. */
  readonly machine: BenchMachine;
  /** The figures by name. */
  readonly figures: Readonly<Record<string, RecordedFigure>>;
}

/** Why figures can't be compared. */
export class CannotCompare extends Error {}

const FILE = new URL("../figures.json", import.meta.url);
const RECORD = "`deno task bench --record` writes it";

/** This machine. */
export function thisMachine(): BenchMachine {
  const cores = cpus();
  return {
    processor: `${cores.length} × ${cores[0]?.model ?? "unknown"}`,
    system: Deno.build.target,
    deno: Deno.version.deno,
  };
}

/**
 * Reads the content of such a file.
 *
 * @throws {CannotCompare} When it isn't one, or lacks a figure that is asked for.
 */
export function parseFigures(
  text: string,
  needed: readonly string[],
): FiguresFile {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw new CannotCompare(
      `bench/figures.json is no JSON (${(error as Error).message}); ${RECORD}`,
    );
  }
  const { machine, figures } = isRecord(content) ? content : {};
  if (!isMachine(machine) || !isRecord(figures)) {
    throw new CannotCompare(
      `bench/figures.json must hold { machine: { processor, system, deno }, figures }; ${RECORD}`,
    );
  }
  const wrong = Object.keys(figures).filter((name) => !isFigure(figures[name]));
  if (wrong.length > 0) {
    throw new CannotCompare(
      `bench/figures.json must hold { ratio, range } above 0 for ${
        wrong.join(", ")
      }; ${RECORD}`,
    );
  }
  const missing = needed.filter((name) => !Object.hasOwn(figures, name));
  if (missing.length > 0) {
    throw new CannotCompare(
      `bench/figures.json has no figure ${
        missing.join(", ")
      }: \`deno task bench --record ${missing.join(" ")}\` adds it`,
    );
  }
  return {
    machine,
    figures: figures as Readonly<Record<string, RecordedFigure>>,
  };
}

/** How a machine differs from the one of the figures, in words; nothing when it doesn't. */
export function otherMachine(
  recorded: BenchMachine,
  here: BenchMachine,
): string | undefined {
  const differing = (["processor", "system", "deno"] as const)
    .filter((fact) => recorded[fact] !== here[fact])
    .map((fact) => `${fact} ${recorded[fact]}, here ${here[fact]}`);
  return differing.length === 0
    ? undefined
    : `bench/figures.json is of another machine (${
      differing.join("; ")
    }): ratios may differ for that alone`;
}

/** Reads the file; {@link parseFigures} says how it fails. */
export async function readFigures(
  needed: readonly string[],
): Promise<FiguresFile> {
  let text: string;
  try {
    text = await readFile(FILE, "utf8");
  } catch (error) {
    throw new CannotCompare(
      `bench/figures.json can't be read (${
        (error as Error).message
      }); ${RECORD}`,
    );
  }
  return parseFigures(text, needed);
}

/** What is recorded of several runs: one that something disturbed doesn't count. */
export function recordedOf(ratios: readonly number[]): RecordedFigure {
  const sorted = ratios.map((ratio) => Number(ratio.toFixed(3)))
    .sort((a, b) => a - b);
  const lowest = sorted[0] ?? NaN;
  return {
    ratio: sorted[1] ?? lowest,
    range: [lowest, sorted.at(-1) ?? lowest],
  };
}

/** Writes the file, its figures in the order of {@link FIGURES}. */
export async function writeFigures(
  { machine, figures }: FiguresFile,
): Promise<void> {
  const ordered = Object.fromEntries(
    Object.keys(FIGURES).filter((name) => Object.hasOwn(figures, name)).map((
      name,
    ) => [name, figures[name]]),
  );
  const text = JSON.stringify({ machine, figures: ordered }, null, 2);
  await writeFile(FILE, `${text}\n`);
}

function isMachine(value: unknown): value is BenchMachine {
  return isRecord(value) &&
    ["processor", "system", "deno"].every((fact) =>
      typeof value[fact] === "string"
    );
}

function isFigure(value: unknown): value is RecordedFigure {
  return isRecord(value) && Array.isArray(value.range) &&
    value.range.length === 2 &&
    [value.ratio, ...value.range].every((one) =>
      typeof one === "number" && one > 0
    );
}
