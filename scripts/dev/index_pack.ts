/**
 * Indexing a pack while it is developed: the indexer's own command, its output somewhere else.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { err, ok, type Result } from "../../base/result.ts";
import { PACK_TOKEN_VAR } from "../../pack_service/mod.ts";
import type { IndexReport } from "../../indexer/mod.ts";
import type { Environment } from "./environment.ts";
import { runGroup } from "./process_group.ts";

const MAIN = fileURLToPath(new URL("../../indexer/main.ts", import.meta.url));
const CONFIG = fileURLToPath(new URL("../../deno.json", import.meta.url));

/** What stands before each error of the indexer's command. */
const ERROR_MARK = "kindgi-index: ";

/** What to index, and where the index goes. */
export interface IndexPackOptions {
  /** The pack's folder. */
  readonly packDir: string;
  /** Path of the index to write; not in the pack. */
  readonly output: string;
  /** What the index says of the build. */
  readonly artifactVersion: string;
  /** What the pack's modules may do when they are imported, each as `KIND=VALUE`. */
  readonly grants: readonly string[];
  /** The environment, of which the pack's modules see the platform's variables and those granted. */
  readonly env: Environment;
  /** Folder for temporary files. */
  readonly temporary: string;
  /** Gives the run up. */
  readonly signal: AbortSignal;
  /** Takes a line that the pack's modules print. */
  readonly onOutput: (line: string) => void;
}

/** An index that was written. */
export interface IndexedPack {
  /** How many there are of each kind, as words: `2 tools, 1 guardrail`. */
  readonly entries: string;
  /** What the pack should change, a sentence each. */
  readonly warnings: readonly string[];
}

/** Writes the index; the error lists what is in the way, a line each. */
export async function indexPack(
  options: IndexPackOptions,
): Promise<Result<IndexedPack, readonly string[]>> {
  const { packDir, output, artifactVersion, grants, temporary } = options;
  const problems: string[] = [];
  const { code, stdout } = await runGroup({
    command: [
      Deno.execPath(),
      ...["run", "--allow-all", "--quiet", "--config", CONFIG, MAIN],
      ...["--pack-dir", packDir],
      ...["--output", output],
      ...["--artifact-version", artifactVersion],
      ...grants.flatMap((grant) => ["--grant", grant]),
      "--quiet",
    ],
    cwd: temporary,
    env: {
      ...Object.fromEntries(
        Object.entries(options.env).filter(([name]) => name !== PACK_TOKEN_VAR),
      ),
      TMPDIR: temporary,
    },
    signal: options.signal,
    onErrorLine: (line) => {
      if (line.startsWith(ERROR_MARK)) {
        problems.push(line.slice(ERROR_MARK.length));
      } else if (line !== "") options.onOutput(line);
    },
  });
  if (code === 0) return ok(readReport(stdout));
  return err(
    problems.length > 0
      ? problems
      : [`Cannot index ${packDir}: the indexer ended with ${code}`],
  );
}

function readReport(text: string): IndexedPack {
  const { counts, warnings } = JSON.parse(text) as IndexReport;
  const entries = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([list, count]) =>
      `${count} ${count === 1 ? list.slice(0, -1) : list}`
    );
  return {
    entries: entries.length === 0 ? "nothing" : entries.join(", "),
    warnings: warnings.map(({ code, filePath, message }) =>
      `${code}: ${message.includes(filePath) ? "" : `${filePath}: `}${message}`
    ),
  };
}
