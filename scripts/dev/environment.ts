/**
 * The variables that a pack is developed with.
 *
 * @module
 */
import { readFile } from "node:fs/promises";
import { parseEnv } from "node:util";
import { fileProblem } from "../../base/platform.ts";
import { err, ok, type Result } from "../../base/result.ts";

/** An environment: names and values. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The environment together with what files hold: it wins over the files, and of those a later one over an earlier one,
 * as with Deno's own `--env-file`. The error names the file that can't be read.
 */
export async function readEnvironment(
  files: readonly string[],
  environment: Environment,
): Promise<Result<Environment, string>> {
  const merged: Record<string, string | undefined> = {};
  for (const file of files) {
    let text: string;
    try {
      text = await readFile(file, "utf8");
    } catch (error) {
      return err(`Cannot read the env file ${file}: ${fileProblem(error)}`);
    }
    Object.assign(merged, parseEnv(text));
  }
  return ok({ ...merged, ...environment });
}

/**
 * What the service is started with: a missing required variable is told and refuses nothing, and the pack's code sees
 * every variable (the seed's `kindgi dev`), unless the environment says otherwise.
 */
export function serviceEnvironment(environment: Environment): Environment {
  return {
    ...environment,
    KINDGI_PACK_ENV_CHECK: environment.KINDGI_PACK_ENV_CHECK || "warn",
    KINDGI_PACK_ENV_FILTER: environment.KINDGI_PACK_ENV_FILTER || "off",
  };
}
