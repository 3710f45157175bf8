/**
 * The pack service as a process: settings, token, listener, drain. It never imports pack code on Deno; executors do.
 *
 * `deno run -P pack_service/main.ts --index dist/index.json`, with the token in `KINDGI_PACK_SERVICE_TOKEN`; `--help`
 * says the rest.
 *
 * @module
 */

import { resolve } from "@std/path/posix/resolve";
import {
  createRecordLog,
  DEFAULT_LOG_SETTINGS,
  type LogSettings,
  parseLogSettings,
  type RecordLog,
} from "../base/log.ts";
import { subsystemLevel } from "../base/log_settings.ts";
import {
  currentEnvironment,
  currentFolder,
  exitProcess,
  isProcessEntry,
  isTerminal,
  isUnsupportedSystem,
  LINEAR_PATTERNS_FLAG,
  onSignal,
  processArguments,
  removeEnvironmentVariable,
  runtimeName,
  setEngineFlag,
  wantsNoColor,
  writeText,
} from "../base/platform.ts";
import { VERSION } from "../base/version.ts";
import type { ChildExecutor } from "./child_executor.ts";
import { createFrontExecutor, prepareExecutors } from "./front_executor.ts";
import { loadPack } from "./load_pack.ts";
import { createPackRecords } from "./records.ts";
import {
  PACK_SERVICE_HELP,
  PACK_TOKEN_VAR,
  packServiceCommand,
  type PackServiceConfig,
  readPackServiceConfig,
} from "./settings.ts";
import {
  type StartedPackService,
  type StartOutcome,
  startService,
} from "./serve_pack.ts";

/** The same signal again within this time is the same one: a terminal and `deno task` both deliver it. */
const SAME_SIGNAL_MS = 500;

/**
 * Runs the pack service until it is told to stop.
 *
 * Answers the exit code: 0 after a drain, `--help`, `--version` and `--print-permissions`; 1 when the settings are
 * invalid or the boot failed (`spec/handler_runtime.md` 4).
 */
export async function main(
  argv: readonly string[] = processArguments(),
): Promise<number> {
  const command = packServiceCommand(argv);
  if (command === "help") return print(PACK_SERVICE_HELP);
  if (command === "version") return print(`kindgi-pack-service ${VERSION}\n`);

  // Deno would listen there instead of where it is told to.
  removeEnvironmentVariable("DENO_SERVE_ADDRESS");
  const env = currentEnvironment();
  const settings = parseLogSettings(env);
  const log = openLog(
    settings.kind === "ok" ? settings.value : DEFAULT_LOG_SETTINGS,
  );
  const { event: tell } = createPackRecords(log);
  if (isUnsupportedSystem()) {
    const problem =
      "The pack service runs on Linux and macOS, not on Windows; use WSL or a container";
    tell({ kind: "boot-failed", problems: [problem] });
    return 1;
  }
  if (settings.kind === "err") {
    tell({ kind: "config-invalid", problems: settings.error });
    return 1;
  }
  const config = readPackServiceConfig(argv, env, {
    executors: runtimeName === "deno",
  });
  if (config.kind === "err") {
    tell({ kind: "config-invalid", problems: config.error.problems });
    return 1;
  }
  const folder = currentFolder();
  const absolute: PackServiceConfig = {
    ...config.value,
    index: resolve(folder, config.value.index),
    moduleRoot: resolve(folder, config.value.moduleRoot),
  };
  // Nothing that is started from here on, pack code least of all, finds it.
  removeEnvironmentVariable(PACK_TOKEN_VAR);
  if (absolute.printPermissions) {
    return await printPermissions(absolute, settings.value);
  }
  return await serve(absolute, settings.value, log);
}

function print(text: string): number {
  writeText("stdout", text);
  return 0;
}

function openLog(settings: LogSettings): RecordLog {
  return createRecordLog({
    settings,
    write: (text) => writeText("stderr", text),
    terminal: isTerminal("stderr"),
    noColor: wantsNoColor(),
  });
}

async function serve(
  config: PackServiceConfig,
  settings: LogSettings,
  log: RecordLog,
): Promise<number> {
  const { event: tell } = createPackRecords(log);
  let executors: ChildExecutor | undefined;
  const signals = listenForStop(
    tell,
    () => executors?.kill() ?? Promise.resolve(),
  );
  const outcome = runtimeName === "node"
    ? await startInProcess(config, log)
    : await startService(config, log, async (pack, wiring) => {
      const made = await createFrontExecutor(
        pack,
        config,
        currentEnvironment(),
        subsystemLevel(settings, "pack.tool"),
        wiring.tell,
      );
      if (made.kind === "err") return { kind: "err", problems: [made.error] };
      executors = made.value;
      return { kind: "ok", executor: made.value };
    });
  if (outcome.kind === "err") {
    tell({ kind: "boot-failed", problems: outcome.problems });
    return 1;
  }
  return await signals.stopped(outcome.value);
}

/** On Node; loaded there only, since it brings the schema compiler, which the front leaves to its executors. */
async function startInProcess(
  config: PackServiceConfig,
  log: RecordLog,
): Promise<StartOutcome> {
  // As executors have it: a schema's pattern must not be a way to hold the service up.
  setEngineFlag(LINEAR_PATTERNS_FLAG);
  const { startPackService } = await import("./start_service.ts");
  return await startPackService(config, log);
}

/**
 * Listens for the signals that stop the service: from before it starts, so that none can end a service that has said
 * it listens. The first one drains, as soon as there is something to drain; a second one ends at once.
 */
function listenForStop(
  tell: ReturnType<typeof createPackRecords>["event"],
  kill: () => Promise<void>,
): { stopped(started: StartedPackService): Promise<number> } {
  let firstAt: number | undefined;
  let begin: () => void;
  let endAtOnce: (code: number) => void = exitProcess;
  const asked = new Promise<void>((resolve) => begin = resolve);
  const hear = async (): Promise<void> => {
    const now = performance.now();
    if (firstAt === undefined) {
      firstAt = now;
      tell({ kind: "draining" });
      return begin();
    }
    if (now - firstAt < SAME_SIGNAL_MS) return;
    await kill();
    endAtOnce(1);
  };
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    onSignal(signal, () => void hear());
  }
  return {
    stopped: (started) =>
      new Promise((done) => {
        endAtOnce = done;
        void asked.then(() => started.stop()).then(() => {
          tell({ kind: "stopped" });
          done(0);
        });
      }),
  };
}

async function printPermissions(
  config: PackServiceConfig,
  settings: LogSettings,
): Promise<number> {
  const pack = await loadPack(config);
  if (pack.kind === "err") return complain(pack.error);
  const prepared = await prepareExecutors(
    pack.value,
    config,
    currentEnvironment(),
    subsystemLevel(settings, "pack.tool"),
  );
  if (prepared.kind === "err") return complain([prepared.error]);
  const { plan, cleanUp } = prepared.value;
  await cleanUp();
  for (const { permissions } of [...plan.shared, ...plan.own]) {
    print(`${permissions.executor}\n`);
    for (const flag of permissions.permissions) print(`  ${flag}\n`);
  }
  return 0;
}

function complain(problems: readonly string[]): number {
  for (const problem of problems) {
    writeText("stderr", `kindgi-pack-service: ${problem}\n`);
  }
  return 1;
}

if (isProcessEntry(import.meta)) exitProcess(await main());
