/** Runs this project's scripts as a user's shell would. */
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** How a script ended. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The command that runs a script, such as `call`, from this checkout. */
export function scriptArguments(
  name: string,
  args: readonly string[],
): string[] {
  return ["run", "-A", `${root}scripts/${name}.ts`, ...args];
}

/** The environment of a script: what finding Deno's cache takes, and what is given. */
export function scriptEnvironment(
  env: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const names = ["PATH", "HOME", "XDG_CACHE_HOME", "DENO_DIR"];
  const kept = Object.entries(Deno.env.toObject())
    .filter(([name]) => names.includes(name));
  return { ...Object.fromEntries(kept), ...env };
}

/** Runs a script to its end; its output is no terminal. */
export async function runScript(
  name: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: scriptArguments(name, args),
    clearEnv: true,
    env: scriptEnvironment(env),
    stdin: "null",
  }).output();
  return {
    code,
    stdout: new TextDecoder().decode(stdout),
    stderr: new TextDecoder().decode(stderr),
  };
}
