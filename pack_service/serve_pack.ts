/**
 * The way from a service's settings to a listening port, whatever runs the pack. It loads no schema compiler: the front
 * needs none.
 *
 * @module
 */

import { dirname } from "@std/path/posix/dirname";
import { resolve } from "@std/path/posix/resolve";
import type { RecordLog } from "../base/log.ts";
import {
  currentEnvironment,
  currentFolder,
  type HttpListener,
  isAddressInUse,
  serveHttp,
} from "../base/platform.ts";
import { isRecord } from "../base/result.ts";
import type { PackEvent, StatsEvent } from "./events.ts";
import type { Executor } from "./executor.ts";
import { DEFAULT_LIMITS } from "./limits.ts";
import { type LoadedPack, loadPack } from "./load_pack.ts";
import { undeclaredPackEnv } from "./pack_env.ts";
import { createPackRecords, type PackRecords } from "./records.ts";
import { TransportService } from "./service.ts";
import type { PackService } from "./service_types.ts";
import type { PackServiceConfig } from "./settings.ts";

/** A service that listens. */
export interface StartedPackService {
  /** The service. */
  readonly service: PackService;
  /** The listener. */
  readonly server: HttpListener;
  /** The port that is bound. */
  readonly port: number;
  /** Refuses new calls, waits up to `graceMs` (8 000) for those under way, and closes everything. */
  stop(graceMs?: number): Promise<void>;
}

/** Where a started service's records go: a log, or a function that gets the bare events. */
export type PackServiceLogs = RecordLog | ((event: PackEvent) => void);

/** Settings of a service that starts: those of the process, most of them optional. */
export type StartPackServiceConfig =
  & Pick<PackServiceConfig, "index" | "token">
  & Partial<
    Pick<
      PackServiceConfig,
      | "moduleRoot"
      | "bundleMap"
      | "host"
      | "port"
      | "maxConcurrency"
      | "envCheck"
      | "envFilter"
      | "sandbox"
      | "maxOutputBytes"
      | "bodyTimeoutMs"
      | "statsMs"
    >
  >;

/** What makes the executor of a pack that was read. */
export type MakeExecutor = (
  pack: LoadedPack,
  wiring: {
    /** Writes an event. */
    readonly tell: (event: PackEvent) => void;
    /** The records, for what tools write. */
    readonly records: PackRecords | undefined;
  },
) => Promise<
  | { readonly kind: "ok"; readonly executor: Executor }
  | { readonly kind: "err"; readonly problems: readonly string[] }
>;

/** Why a service could not be started: every problem, one sentence each. */
export interface StartProblems {
  /** Tells it from a started one. */
  readonly kind: "err";
  /** What is wrong. */
  readonly problems: readonly string[];
}

/** What starting a service ends in. */
export type StartOutcome =
  | { readonly kind: "ok"; readonly value: StartedPackService }
  | StartProblems;

/** The way from settings to a listening port that every kind of service goes (`spec/handler_runtime.md` 4). */
export async function startService(
  given: StartPackServiceConfig & Partial<Pick<PackServiceConfig, "grants">>,
  logs: PackServiceLogs | undefined,
  makeExecutor: MakeExecutor,
): Promise<StartOutcome> {
  const folder = currentFolder();
  const indexPath = resolve(folder, given.index);
  const config = {
    ...given,
    index: indexPath,
    moduleRoot: resolve(folder, given.moduleRoot ?? dirname(indexPath)),
    sandbox: given.sandbox ?? "declared",
  };
  const loaded = await loadPack(config);
  if (loaded.kind === "err") return { kind: "err", problems: loaded.error };
  const pack = loaded.value;
  const { index, plan } = pack;

  const bare = typeof logs === "function" ? logs : undefined;
  const log = typeof logs === "function" ? undefined : logs;
  const records = log && createPackRecords(log, {
    packId: index.packId,
    artifactVersion: index.artifactVersion,
  });
  const tell = (event: PackEvent): void => {
    bare?.(event);
    records?.event(event);
  };
  tellPlan(plan, tell);

  const env = currentEnvironment();
  if (config.envFilter === "on") {
    const granted = (config.grants ?? []).map(({ kind, value }) =>
      kind === "env" ? value : undefined
    );
    const names = undeclaredPackEnv(index.env, env)
      .filter((name) => !granted.includes(name));
    if (names.length > 0) tell({ kind: "env-dropped", names });
  }
  const made = await makeExecutor(pack, { tell, records });
  if (made.kind === "err") return made;
  const { executor } = made;
  const service = new TransportService({
    index,
    token: config.token,
    executor,
    maxConcurrency: config.maxConcurrency ?? DEFAULT_LIMITS.maxConcurrency,
    maxBodyBytes: DEFAULT_LIMITS.maxBodyBytes,
    bodyTimeoutMs: config.bodyTimeoutMs ?? DEFAULT_LIMITS.bodyTimeoutMs,
    defaultTimeoutMs: DEFAULT_LIMITS.defaultTimeoutMs,
    env,
    envCheck: config.envCheck ?? "strict",
    logger: bare,
    records,
  });
  const problems = await service.prewarm();
  if (problems.length > 0) {
    await executor.stop();
    return { kind: "err", problems: problems.map(({ message }) => message) };
  }
  let server: HttpListener;
  try {
    server = await serveHttp({
      ...(config.host === undefined ? {} : { hostname: config.host }),
      port: config.port ?? 0,
      handler: (request) => service.handle(request),
    });
  } catch (error) {
    await executor.stop();
    return { kind: "err", problems: [listenProblem(error, config)] };
  }
  const executors = executor.permissions();
  tell({
    kind: "listening",
    port: server.port,
    packId: index.packId,
    artifactVersion: index.artifactVersion,
    ...(executors.length === 0 ? {} : { executors }),
  });
  const stats = startStats(config.statsMs, service, executor, tell);
  return {
    kind: "ok",
    value: {
      service,
      server,
      port: server.port,
      stop: async (graceMs = DEFAULT_LIMITS.drainMs) => {
        const end = performance.now() + graceMs;
        await service.drain(graceMs);
        clearInterval(stats);
        const sendMs = end - performance.now();
        await Promise.all([server.close(sendMs), executor.stop()]);
      },
    },
  };
}

function tellPlan(
  plan: LoadedPack["plan"],
  tell: (event: PackEvent) => void,
): void {
  if (plan.sandboxIgnored.length > 0) {
    tell({ kind: "sandbox-off", names: plan.sandboxIgnored });
  }
  if (plan.limitsIgnored.length > 0) {
    tell({ kind: "limits-ignored", names: plan.limitsIgnored });
  }
}

function startStats(
  everyMs: number | undefined,
  service: TransportService,
  executor: Executor,
  tell: (event: StatsEvent) => void,
): ReturnType<typeof setInterval> | undefined {
  if (everyMs === undefined) return undefined;
  return setInterval(
    () => tell({ ...service.stats(), executorsLost: executor.lost }),
    everyMs,
  );
}

function listenProblem(
  error: unknown,
  { host, port }: { readonly host?: string; readonly port?: number },
): string {
  const place = `${host === undefined ? "" : `${host} `}port ${port ?? 0}`;
  if (isAddressInUse(error)) {
    return `Cannot listen on ${place}: another process has it; stop that one or set PORT to a free port`;
  }
  const reason = isRecord(error) || error instanceof Error
    ? (error as Error).message
    : String(error);
  return `Cannot listen on ${place}: ${reason}`;
}
