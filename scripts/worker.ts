/**
 * `deno task worker`: keeps the turns of a pack's agents going on a store, until it is told to stop.
 *
 * @module
 */
import process from "node:process";
import { openAgentRuntime } from "../agents/mod.ts";
import type { Logger } from "../base/log.ts";
import { PACK_TOKEN_VAR } from "../pack_service/mod.ts";
import { CannotStart } from "./support/cannot_start.ts";
import { commandLog } from "./support/log_lines.ts";
import { MODEL_HELP, shownModel } from "./support/model_choice.ts";
import { openProviders } from "./support/model_provider.ts";
import { openPack } from "./support/opened_pack.ts";
import {
  openStore,
  shownPlace,
  STORE_HELP,
  STORE_VAR,
} from "./support/store_place.ts";
import { terminalText } from "./support/terminal_text.ts";
import { readWorkerSettings, type WorkerSettings } from "./worker/settings.ts";
import { stopSignal } from "./worker/stopping.ts";

const HELP =
  `Keeps the turns of a pack's agents going, for all tenants of a store.

Usage:
  deno task worker --pack-dir DIR --store WHERE [--model NAME --model-url URL] [--poll-ms N] [--concurrency N]

  --pack-dir DIR      the pack's folder; indexed now where it has no index.json
${STORE_HELP}
                      (default: ${STORE_VAR})
${MODEL_HELP}
                      Without a model a script answers
  --url URL           a pack service that runs already, its token in ${PACK_TOKEN_VAR} (default: one is started)
  --poll-ms N         milliseconds between two looks (default: 1000)
  --concurrency N     how many turns at once (default: 4)
  --lease-ms N        how long a worker that died keeps its turns, in milliseconds (default: 30000)
  -h, --help          print this, and exit

It raises and expires approvals that are due, goes on with turns that were decided or whose process died, and closes
conversations past their agent's autoCloseAfterInactiveSeconds. Several workers may work on one store. Turns of agents that
the pack doesn't have, at that version, are left to others. What it does is written to standard error as records
(KINDGI_LOG_LEVEL, KINDGI_LOG_FORMAT).

SIGTERM or Ctrl+C stops it once the turns under way are done; a second one at once: those turns go on with another worker.

Exit codes:
  0   stopped, and turns under way were done
  1   it can't start, the pack's service is gone for good, or a second signal cut it short
  2   the arguments make no sense

Example:
  deno task worker --pack-dir examples/support_pack --store chat.sqlite
`;

/** Runs the command; answers its exit code. */
async function main(argv: string[]): Promise<number> {
  const settings = readWorkerSettings(argv);
  if (settings === "help") {
    console.log(HELP.trimEnd());
    return 0;
  }
  if (typeof settings === "string") {
    console.error(`worker: ${settings}; --help says more`);
    return 2;
  }
  try {
    return await run(settings, commandLog("worker"));
  } catch (error) {
    if (!(error instanceof CannotStart)) throw error;
    console.error(terminalText(`worker: ${error.message}`));
    return 1;
  }
}

async function run(settings: WorkerSettings, log: Logger): Promise<number> {
  const { pollMs, concurrency, leaseMs } = settings;
  const stopped = stopSignal(() => process.exit(1));
  // Before it works there is no turn to wait for, and a pack that is being indexed may take long.
  const leave = () => {
    log.info("The worker has stopped before it began");
    process.exit(0);
  };
  stopped.addEventListener("abort", leave);
  const failed = new AbortController();
  const providers = await openProviders(settings.model);
  const store = await openStore(settings.store);
  const pack = await openPack(settings.pack, {
    onLine: (line) => console.error(line),
    onRecord: (_, line) => console.error(line),
    onTrouble: (message, gaveUp) => {
      if (!gaveUp) return log.warn(message);
      log.error(`${message}: the worker stops`);
      failed.abort();
    },
  });
  stopped.removeEventListener("abort", leave);
  const runtime = openAgentRuntime({
    ...{ store, providers, leaseMs, log },
    ...pack.parts,
  });
  try {
    log.info(`The worker looks for turns of ${pack.name}`, {
      store: shownPlace(settings.store),
      model: shownModel(settings.model),
      agents: pack.agents.map(({ id, version }) => `${id} ${version}`),
      ...{ pollMs, concurrency },
    });
    const signal = AbortSignal.any([stopped, failed.signal]);
    signal.addEventListener(
      "abort",
      () => log.info("The worker stops once turns under way are done"),
    );
    await runtime.work({ signal, pollMs, concurrency });
    log.info("The worker has stopped");
    return failed.signal.aborted ? 1 : 0;
  } finally {
    await runtime.close();
    await pack.close();
    await store.close();
  }
}

process.exit(await main(process.argv.slice(2)));
