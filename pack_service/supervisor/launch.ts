/**
 * What a child is started with: the process contract (`spec/handler_runtime.md` 4, 6).
 *
 * @module
 */

/** Where a child's command line and environment come from. */
export interface LaunchOptions {
  /** Program and arguments, or a function giving them, called before every start. */
  readonly command:
    | readonly string[]
    | (() => readonly string[] | Promise<readonly string[]>);
  /** Passed as `--module-root`. */
  readonly moduleRoot: string;
  /** The environment, read at every start; names whose value is `undefined` are left out. */
  readonly env: () =>
    | Readonly<Record<string, string | undefined>>
    | Promise<Readonly<Record<string, string | undefined>>>;
  /** The child's token. */
  readonly token: string;
}

/** A child's command line and whole environment. */
export interface Launch {
  /** Program and arguments. */
  readonly argv: readonly string[];
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** Works out how to start a child on an index. Rejects when the command or the environment can't be had. */
export async function prepareLaunch(
  options: LaunchOptions,
  indexPath: string,
): Promise<Launch> {
  const { command, moduleRoot, token } = options;
  const argv = typeof command === "function" ? await command() : command;
  if (argv.length === 0) throw new Error("its command is empty");
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(await options.env())) {
    if (value !== undefined) env[name] = value;
  }
  return {
    argv: [
      ...argv,
      ...["--index", indexPath],
      ...["--module-root", moduleRoot],
      ...["--host", "127.0.0.1"],
    ],
    env: {
      ...env,
      KINDGI_PACK_SERVICE_TOKEN: token,
      PORT: "0",
      KINDGI_LOG_FORMAT: "json",
    },
  };
}
