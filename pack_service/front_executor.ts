/**
 * The front's executor: child processes under Deno's permissions, with what they need around them.
 *
 * @module
 */

import type { LogLevel } from "../base/log.ts";
import {
  fileProblem,
  makeTemporaryFolder,
  removePath,
  temporaryFolder,
  writeText,
} from "../base/platform.ts";
import { err, ok, type Result } from "../base/result.ts";
import { bundleEntry } from "./bundle.ts";
import { ChildExecutor } from "./child_executor.ts";
import type { PackEvent } from "./events.ts";
import { type ExecutorPlan, planExecutors } from "./executor_plan.ts";
import type { LoadedPack } from "./load_pack.ts";
import { findLinks } from "./outward_links.ts";
import { undeclaredPackEnv } from "./pack_env.ts";
import {
  cachePackDependencies,
  type PackImports,
  resolvePackImports,
} from "./pack_imports.ts";
import { leadsToProcesses } from "./permissions.ts";
import type { PackServiceConfig } from "./settings.ts";

/** The longest path that a Unix socket can have, in bytes. */
const MAX_SOCKET_PATH_BYTES = 107;

/** What is needed around a pack's executors. */
export interface PreparedExecutors {
  /** The executors. */
  readonly plan: ExecutorPlan;
  /** How the pack's imports resolve. */
  readonly imports: PackImports;
  /** The folder for sockets, import map and lock: this user's alone. */
  readonly workFolder: string;
  /** Removes that folder. */
  cleanUp(): Promise<void>;
}

/** Finds out how a pack is to be run; starts nothing. The error is one sentence. */
export async function prepareExecutors(
  pack: LoadedPack,
  config: PackServiceConfig,
  env: Readonly<Record<string, string>>,
  logLevel: LogLevel,
): Promise<Result<PreparedExecutors, string>> {
  const folder = await makeWorkFolder();
  if (folder.kind === "err") return folder;
  const workFolder = folder.value;
  const cleanUp = () => removePath(workFolder);
  const prepared = await prepareIn(workFolder, pack, config, env, logLevel)
    // A file that can't be read or written: a full disk, a lock that belongs to somebody else.
    .catch((error: unknown) =>
      err(`Cannot prepare to run the pack: ${fileProblem(error)}`)
    );
  if (prepared.kind === "ok") return ok({ ...prepared.value, cleanUp });
  await cleanUp();
  return prepared;
}

async function prepareIn(
  workFolder: string,
  pack: LoadedPack,
  config: PackServiceConfig,
  env: Readonly<Record<string, string>>,
  logLevel: LogLevel,
): Promise<Result<Omit<PreparedExecutors, "cleanUp">, string>> {
  const [entry, imports, links] = await Promise.all([
    bundleEntry("pack_service/executor_main.ts"),
    resolvePackImports({ moduleRoot: config.moduleRoot, workFolder }),
    findLinks(config.moduleRoot),
  ]);
  if (entry.kind === "err") return entry;
  if (imports.kind === "err") return imports;
  const leak = config.permissions === "all" ? undefined : links.find(
    ({ target }) => target !== undefined && leadsToProcesses(target),
  );
  if (leak !== undefined) {
    return err(
      `Cannot run a pack with the symbolic link ${leak.path} in it: it leads to ${leak.target}, where the environment of every process can be read; remove it, or start the service with KINDGI_PACK_PERMISSIONS=all`,
    );
  }
  const plan = await planExecutors({
    config,
    plan: pack.plan,
    imports: imports.value,
    entry: entry.value,
    links,
    env: packEnvironment(pack, config, env),
    grantedEnv: grantedEnvironment(config, env),
    logLevel,
  });
  if (plan.kind === "err") return plan;
  return ok({ plan: plan.value, imports: imports.value, workFolder });
}

/** Makes the executor of a service's front. */
export async function createFrontExecutor(
  pack: LoadedPack,
  config: PackServiceConfig,
  env: Readonly<Record<string, string>>,
  logLevel: LogLevel,
  tell: (event: PackEvent) => void,
): Promise<Result<ChildExecutor, string>> {
  const prepared = await prepareExecutors(pack, config, env, logLevel);
  if (prepared.kind === "err") return err(prepared.error);
  const { plan, imports, workFolder, cleanUp } = prepared.value;
  const modulePaths = [
    ...new Set(
      [...pack.plan.tools, ...pack.plan.checks].map((entry) =>
        entry.modulePath
      ),
    ),
  ];
  return ok(
    new ChildExecutor({
      ...plan,
      socketFolder: workFolder,
      output: {
        stdout: (line) => writeText("stdout", line),
        stderr: (line) => writeText("stderr", line),
      },
      tell,
      record: ({ fields }, executor) =>
        tell({
          kind: "pack-unhandled",
          origin: fields?.origin === "error" ? "error" : "unhandledrejection",
          cause: fields?.cause,
          executor,
        }),
      fetchDependencies: () => cachePackDependencies(imports, modulePaths),
      cleanUp,
    }),
  );
}

/**
 * A folder for this process alone; under `/tmp` where the usual place makes socket paths too long, or has a comma, at
 * which Deno splits them.
 */
async function makeWorkFolder(): Promise<Result<string, string>> {
  const usual = temporaryFolder();
  // "/kindgi-" and random characters, then "/" and a socket's name.
  const longest = `${usual}/kindgi-XXXXXXXXXXXXXXXX/9999999999.sock`;
  const bytes = new TextEncoder().encode(longest).length;
  const parent = bytes > MAX_SOCKET_PATH_BYTES || usual.includes(",")
    ? "/tmp"
    : usual;
  try {
    return ok(await makeTemporaryFolder(parent, "kindgi-"));
  } catch (error) {
    return err(
      `Cannot make a folder in ${parent}: ${
        fileProblem(error)
      }; name a writable one in TMPDIR`,
    );
  }
}

/** The variables that the operator opened by name. */
function grantedEnvironment(
  { grants }: PackServiceConfig,
  env: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(grants.flatMap(({ kind, value }) => {
    const text = kind === "env" && value !== undefined ? env[value] : undefined;
    return text === undefined ? [] : [[value, text]];
  }));
}

/** The variables that reach the pack: what it declares and the platform's, or all when the filter is off. */
function packEnvironment(
  pack: LoadedPack,
  config: PackServiceConfig,
  env: Readonly<Record<string, string>>,
): Record<string, string> {
  const dropped = new Set(
    config.envFilter === "on" ? undeclaredPackEnv(pack.index.env, env) : [],
  );
  // A name with one of these characters can't be given to a permission flag.
  return Object.fromEntries(
    Object.entries(env).filter(([name]) =>
      !dropped.has(name) && /^[^,=*\s]+$/.test(name)
    ),
  );
}
