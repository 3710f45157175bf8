/**
 * `deno task bench`: runs benches, or checks a short form of them against the figures in the repository.
 *
 * Every figure is a ratio within one run, since machines differ and drift; `bench/README.md` holds a run's tables.
 *
 * @module
 */

import { BENCHES } from "./benches.ts";
import { type ChosenBench, readBenchCommand } from "./command_line.ts";
import { machineFacts } from "./machine.ts";
import { checkFigures } from "./short/check_figures.ts";
import { FIGURES } from "./short/figures.ts";
import { CannotCompare } from "./short/figures_file.ts";
import { recordFigures } from "./short/record_figures.ts";

const listed = (rows: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, what]) => `  ${name.padEnd(width)}  ${what}`)
    .join("\n");
};

const HELP = `Measures speed, as ratios within one run.

Usage:
  deno task bench [NAME [ARGUMENT ...] ...]
  deno task bench --check [FIGURE ...]
  deno task bench --record [FIGURE ...]

  NAME ...       the benches to run, each with its own arguments behind it (default: all of them)
  --check        measure a short form, a minute long, and compare it with bench/figures.json
  --record       measure the short form five times, and write bench/figures.json
  -h, --help     print this, and exit

Benches:
${
  listed(
    Object.entries(BENCHES).map(([name, { what, takes = "" }]) => [
      `${name} ${takes}`,
      what,
    ]),
  )
}

Figures of the short form (Linux alone: it reads processor times from /proc):
${listed(Object.entries(FIGURES))}

Exit codes:
  0   measured; with --check, no figure has fallen by more than a third
  1   a figure has fallen by more than a third, at every try; or a bench failed
  2   the arguments make no sense, or bench/figures.json can't be compared with
`;

/** Runs the command; answers its exit code. */
async function main(argv: readonly string[]): Promise<number> {
  const command = readBenchCommand(argv);
  if (command === "help") {
    console.log(HELP.trimEnd());
    return 0;
  }
  if (typeof command === "string") {
    console.error(`bench: ${command}; --help says more`);
    return 2;
  }
  console.log(`${(await machineFacts()).join("\n")}\n`);
  if (command.kind === "run") return await runBenches(command.benches);
  try {
    if (command.kind === "check") return await checkFigures(command.figures);
    await recordFigures(command.figures);
    return 0;
  } catch (error) {
    if (!(error instanceof CannotCompare)) throw error;
    console.error(`bench: ${error.message}`);
    return 2;
  }
}

async function runBenches(benches: readonly ChosenBench[]): Promise<number> {
  for (const { name, args } of benches) {
    console.log(`# ${name}: ${BENCHES[name]?.what}`);
    const script = new URL(`${name}.ts`, import.meta.url).pathname;
    const { code } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", script, ...args],
    }).spawn().status;
    if (code !== 0) return 1;
    console.log();
  }
  return 0;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
