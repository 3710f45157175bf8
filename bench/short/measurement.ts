/**
 * What the measurements of the short form share: rounds that alternate, so that the machine's other work meets both sides
 * alike.
 *
 * @module
 */

import process from "node:process";
import { median } from "../server_process.ts";

/** Something that measures figures. */
export interface Measurement {
  /** Which figures. */
  readonly figures: readonly string[];
  /** Measures them once: a ratio each, by name. */
  measure(): Promise<Readonly<Record<string, number>>>;
}

/** Something to repeat. */
export interface Work {
  /** How often in a round. */
  readonly times: number;
  /** Does it once. */
  once(): Promise<unknown> | unknown;
}

/** Two works that are held against each other. */
export interface WorkPair {
  /** What is measured. */
  readonly own: Work;
  /** What it is held against. */
  readonly reference: Work;
  /** How many rounds count; half as many before them warm both up. */
  readonly rounds: number;
  /** The milliseconds of processor time so far; this process's own when absent. */
  readonly clock?: () => Promise<number>;
}

/** How often the work is done in the time that its reference is done once: the median over rounds, by processor time. */
export async function workRatio(pair: WorkPair): Promise<number> {
  const { own, reference, rounds, clock = ownProcessorMs } = pair;
  const once = async ({ times, once }: Work) => {
    const before = await clock();
    for (let time = 0; time < times; time++) await once();
    return (await clock() - before) / times;
  };
  const ratios: number[] = [];
  for (let round = -Math.ceil(rounds / 2); round < rounds; round++) {
    const ratio = await once(reference) / await once(own);
    if (round >= 0) ratios.push(ratio);
  }
  return median(ratios);
}

function ownProcessorMs(): Promise<number> {
  const { user, system } = process.cpuUsage();
  return Promise.resolve((user + system) / 1_000);
}
