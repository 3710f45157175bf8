/** Running programs to their end. */

/** How a program ended. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** How to run one. */
export interface RunOptions {
  /** The working folder. */
  readonly cwd: string;
  /** Variables on top of this process's. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a program, without standard input. */
export async function run(
  program: string,
  args: readonly string[],
  { cwd, env = {} }: RunOptions,
): Promise<Ended> {
  const { code, stdout, stderr } = await new Deno.Command(program, {
    args: [...args],
    cwd,
    env: { ...env, NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" },
    stdin: "null",
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}

/** Runs a program that must succeed; answers its standard output. */
export async function runWell(
  program: string,
  args: readonly string[],
  options: RunOptions,
): Promise<string> {
  const { code, stdout, stderr } = await run(program, args, options);
  if (code !== 0) {
    throw new Error(
      `${program} ${args.join(" ")} ended with ${code}:\n${stdout}${stderr}`,
    );
  }
  return stdout;
}
