/**
 * What the command line of `deno task bench` asks for.
 *
 * @module
 */

import { parseArgs } from "node:util";
import { BENCHES } from "./benches.ts";
import { FIGURES } from "./short/figures.ts";

/** A bench to run, and what it is given. */
export interface ChosenBench {
  /** Its name. */
  readonly name: string;
  /** Its arguments. */
  readonly args: readonly string[];
}

/** What a command line asks for. */
export type BenchCommand =
  | { readonly kind: "run"; readonly benches: readonly ChosenBench[] }
  | { readonly kind: "check" | "record"; readonly figures: readonly string[] };

/**
 * Reads a command line: benches to run, figures to check or to record, `"help"`, or what is wrong in one sentence.
 *
 * What stands behind a bench's name and is no bench's name is that bench's own. No name means all of them.
 */
export function readBenchCommand(
  argv: readonly string[],
): BenchCommand | "help" | string {
  if (argv.includes("--help") || argv.includes("-h")) return "help";
  return argv[0]?.startsWith("-") === true
    ? readShortForm(argv)
    : readBenches(argv);
}

function readShortForm(argv: readonly string[]): BenchCommand | string {
  let parsed;
  try {
    parsed = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: { check: { type: "boolean" }, record: { type: "boolean" } },
    });
  } catch (error) {
    return (error as Error).message;
  }
  const { values: { check, record }, positionals } = parsed;
  if (check && record) return "--check and --record exclude each other";
  const unknown = positionals.find((name) => !Object.hasOwn(FIGURES, name));
  if (unknown !== undefined) {
    return `there is no figure ${unknown}; there are ${
      Object.keys(FIGURES).join(", ")
    }`;
  }
  return {
    kind: record ? "record" : "check",
    figures: positionals.length > 0 ? positionals : Object.keys(FIGURES),
  };
}

function readBenches(argv: readonly string[]): BenchCommand | string {
  if (argv.length === 0) {
    const benches = Object.keys(BENCHES).map((name) => ({ name, args: [] }));
    return { kind: "run", benches };
  }
  const benches: { name: string; args: string[] }[] = [];
  for (const word of argv) {
    const last = benches.at(-1);
    if (Object.hasOwn(BENCHES, word)) benches.push({ name: word, args: [] });
    else if (last === undefined) return `there is no bench ${word}`;
    else if (BENCHES[last.name]?.takes === undefined) {
      return `${last.name} takes no arguments, and there is no bench ${word}`;
    } else last.args.push(word);
  }
  return { kind: "run", benches };
}
