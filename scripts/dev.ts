/**
 * `deno task dev`: serves a pack while it is written; the next call after a change runs the new code.
 *
 * @module
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import process from "node:process";
import { isAddressInUse, isUnsupportedSystem } from "../base/platform.ts";
import { PACK_TOKEN_VAR } from "../pack_service/mod.ts";
import { PackWatch } from "./dev/pack_watch.ts";
import { createDevLines } from "./dev/printed_lines.ts";
import { DevSession } from "./dev/session.ts";
import { type DevSettings, readDevSettings } from "./dev/settings.ts";
import { untilStopped } from "./dev/stop_signals.ts";
import { styled } from "./printed.ts";

const HELP =
  `Serves a pack while you write it: the next call after a change runs the new code.

Usage:
  deno task dev --pack-dir DIR [--port N] [--env-file FILE ...] [--grant KIND=VALUE ...] [--inspect[=HOST:PORT]]
                [--ignore PATH ...]

  --pack-dir DIR          the pack's folder, with its kindgi.config
  --port N                port to listen on at 127.0.0.1, 0 picks one (default: PORT, else 8080)
  --env-file FILE         variables for the pack, NAME=value a line; repeatable. The environment wins over files, a later
                          file over an earlier one; a changed file counts as a changed pack
  --grant KIND=VALUE      open more to the pack's code, when it is indexed and when it is called; repeatable. KIND: net
                          read write env sys run ffi
  --inspect[=HOST:PORT]   attach a debugger to the pack's code (default 127.0.0.1:9229). Each change then stops the old
                          code before the new code starts, and calls in between are refused with 503
  --ignore PATH           a file or folder whose changes don't count; repeatable
  -h, --help              print this, and exit

The address and the token stay the same until Ctrl+C. A change is indexed, started, and takes over from the code before
it, which finishes its calls; where either fails, the error is printed and the code from before goes on serving. Nothing
is written into the pack. Changes of node_modules, hidden files, files that end with ~, and the pack's own index.json
don't count.

Environment:
  ${PACK_TOKEN_VAR}   the token to keep, at least 32 characters of A-Z a-z 0-9 _ - (default: a new one)
  KINDGI_PACK_ENV_CHECK       warn by default here: a missing required variable is told, and calls are served
  KINDGI_PACK_ENV_FILTER      off by default here: the pack's code sees every variable
  KINDGI_…                    whatever \`deno run -P pack_service/main.ts --help\` lists

Exit codes:
  0   stopped with Ctrl+C
  1   it can't listen or watch
  2   the arguments or the environment make no sense

Example:
  deno task dev --pack-dir examples/support_pack
`;

/** How long calls under way may take to finish after Ctrl+C, in milliseconds; what still runs then is killed. */
const FINISH_MS = 1_500;

/** Runs the command; answers its exit code. */
async function main(argv: string[]): Promise<number> {
  const { env } = process;
  // `deno task` changes into the folder of its config; paths are meant from where the user stands.
  const place = { env, folder: env.INIT_CWD ?? process.cwd() };
  const read = await readDevSettings(argv, place);
  if (read.kind === "err") {
    for (const problem of read.error) console.error(`dev: ${problem}`);
    console.error("dev: --help says more");
    return 2;
  }
  if (read.value === "help") {
    console.log(HELP.trimEnd());
    return 0;
  }
  if (isUnsupportedSystem()) {
    console.error("dev: runs on Linux and macOS; on Windows use WSL");
    return 1;
  }
  const temporary = await mkdtemp(join(tmpdir(), "kindgi-dev-"));
  try {
    return await develop(read.value, temporary);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function develop(
  settings: DevSettings,
  temporary: string,
): Promise<number> {
  const stopped = untilStopped();
  const { packDir } = settings;
  const lines = createDevLines();
  const session = new DevSession({
    settings,
    env: process.env,
    temporary,
    lines,
  });
  const nameOf = (path: string) => {
    const inPack = relative(packDir, path);
    return inPack.startsWith("..") ? path : inPack;
  };
  const watch = new PackWatch({
    packDir,
    files: settings.envFiles,
    ignored: settings.ignored,
    onChange: (paths) => session.changed(paths, nameOf),
    onProblem: (reason) =>
      lines.say("error", `changes can't be noticed any more: ${reason}`),
  });
  try {
    await watch.open();
  } catch (error) {
    console.error(`dev: Cannot watch ${packDir}: ${(error as Error).message}`);
    return 1;
  }
  try {
    const { url } = await session.supervisor.listen();
    printAddress(packDir, url, session.supervisor.token);
  } catch (error) {
    const reason = isAddressInUse(error)
      ? "another process has it; choose another with --port, 0 picks one"
      : (error as Error).message;
    console.error(`dev: Cannot listen on port ${settings.port}: ${reason}`);
    watch.close();
    return 1;
  }
  session.reload();

  await stopped;
  watch.close();
  const inTime = await within(FINISH_MS, session.close());
  if (!inTime) {
    // They end with this process: the supervisor's watchdog sees to it.
    lines.say("warn", "calls that were still under way are cut off");
  }
  return 0;
}

function printAddress(packDir: string, url: string, token: string): void {
  console.log(`
The pack in ${packDir} is served at ${styled("cyan", url)}
Its token is ${styled("cyan", token)}

Call a tool from another terminal:

  deno task call TOOL '{"its": "input"}' --url ${url} --token=${token}

Save a file, and the next call runs the new code. Ctrl+C stops it.
`);
}

/** Whether something settles in time. */
async function within(ms: number, done: Promise<void>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([done.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

process.exit(await main(process.argv.slice(2)));
