/**
 * Starting a service whose handlers run in this process: in a program, and on Node.
 *
 * @module
 */

import process from "node:process";
import { currentEnvironment } from "../base/platform.ts";
import { inProgramProblem } from "./create_service.ts";
import { InProcessExecutor } from "./in_process_executor.ts";
import { DEFAULT_LIMITS } from "./limits.ts";
import type { LoadedPack } from "./load_pack.ts";
import { undeclaredPackEnv } from "./pack_env.ts";
import {
  type PackServiceLogs,
  type StartOutcome,
  type StartPackServiceConfig,
  startService,
} from "./serve_pack.ts";

/**
 * Starts a service in this process: reads the index, imports every module, listens.
 *
 * Never exits, never removes the token from the environment, and filters the environment only with `envFilter: 'on'`
 * (`spec/handler_runtime.md` 4).
 */
export function startPackService(
  config: StartPackServiceConfig,
  logs?: PackServiceLogs,
): Promise<StartOutcome> {
  return startService(config, logs, (pack, { records }) => {
    const problem = inProgramProblem(pack.plan.own);
    if (problem !== undefined) {
      return Promise.resolve({ kind: "err", problems: [problem] });
    }
    if (config.envFilter === "on") filterProcessEnvironment(pack);
    const executor = new InProcessExecutor({
      tools: pack.plan.tools.map(({ isolated: _isolated, ...tool }) => tool),
      checks: pack.plan.checks.map(({ isolated: _, ...check }) => check),
      maxOutputBytes: config.maxOutputBytes ?? DEFAULT_LIMITS.maxOutputBytes,
      logEnabled: (level) => records?.toolEnabled(level) ?? false,
    });
    return Promise.resolve({ kind: "ok", executor });
  });
}

function filterProcessEnvironment(pack: LoadedPack): void {
  for (
    const name of undeclaredPackEnv(pack.index.env, currentEnvironment())
  ) delete process.env[name];
}
