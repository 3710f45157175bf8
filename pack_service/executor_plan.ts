/**
 * From a pack and the operator's settings to the processes that run it: commands, permissions, environments.
 *
 * @module
 */

import { join } from "@std/path/posix/join";
import { endWithParent } from "../base/end_with_parent.ts";
import type { LogLevel } from "../base/log.ts";
import {
  environmentVariable,
  LINEAR_PATTERNS_FLAG,
  runtimeExecutable,
  systemName,
} from "../base/platform.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { PlannedExecutor } from "./child_executor.ts";
import type { ExecutorBoot } from "./executor_boot.ts";
import type { PackImports } from "./pack_imports.ts";
import { covers, type Link, outwardLinks } from "./outward_links.ts";
import {
  type Access,
  packPermissions,
  pathWithComma,
  permissionFlags,
  type PermissionInputs,
  type PermissionSet,
  strictPermissions,
} from "./permissions.ts";
import type { OwnExecutorPlan, SandboxPlan } from "./sandbox.ts";
import type { PackServiceConfig } from "./settings.ts";

/** More than any machine has; V8 refuses numbers that are larger still. */
const MAX_HEAP_MB = 2 ** 20;

/** Room for a frame around an answer. */
const FRAME_BYTES = 64 * 1024;

/** What the executors of a pack are planned from. */
export interface ExecutorPlanInputs {
  /** The operator's settings. */
  readonly config: PackServiceConfig;
  /** Which tool runs where. */
  readonly plan: SandboxPlan;
  /** How the pack's imports resolve. */
  readonly imports: PackImports;
  /** The bundle of `executor_main.ts`. */
  readonly entry: string;
  /** Every symbolic link in the pack. */
  readonly links: readonly Link[];
  /** The variables that reach the pack. */
  readonly env: Readonly<Record<string, string>>;
  /** Those that the operator opened on top; they never reach strict tools. */
  readonly grantedEnv: Readonly<Record<string, string>>;
  /** The least grave `ctx.log` level that is written. */
  readonly logLevel: LogLevel;
}

/** The executors to run. */
export interface ExecutorPlan {
  /** The shared ones. */
  readonly shared: readonly PlannedExecutor[];
  /** Those of one tool or check alone. */
  readonly own: readonly PlannedExecutor[];
}

/** Makes the plan. The error is one sentence. */
export async function planExecutors(
  inputs: ExecutorPlanInputs,
): Promise<Result<ExecutorPlan, string>> {
  const { config, plan, imports, env } = inputs;
  const permissionInputs: PermissionInputs = {
    mode: config.permissions,
    grants: config.grants,
    packPaths: packPaths(inputs),
    indexPath: config.index,
    env: Object.keys(env).sort(),
  };
  const wrapper = endWithParent();
  let problem: string | undefined;
  /** Where only some paths may be read, links that lead elsewhere may not be. */
  const denied = async (read: Access): Promise<readonly string[]> =>
    typeof read === "boolean" ? [] : await outwardLinks(inputs.links, read);
  const planned = async (
    name: string,
    given: PermissionSet,
    own: OwnExecutorPlan | undefined,
    inspect?: string,
  ): Promise<PlannedExecutor> => {
    const permissions = {
      ...given,
      denyRead: [...given.denyRead, ...await denied(given.read)],
    };
    const unsayable = pathWithComma(permissions);
    if (unsayable !== undefined) {
      problem ??=
        `Cannot say in a permission of ${name} what ${unsayable} is: Deno splits paths at commas; give it a path without one`;
    }
    const guardMark = own?.limits === undefined
      ? undefined
      : crypto.randomUUID();
    const heap = own?.limits?.memMB;
    const v8Flags = heap === undefined
      ? LINEAR_PATTERNS_FLAG
      : `${LINEAR_PATTERNS_FLAG},--max-old-space-size=${
        Math.ceil(Math.min(heap, MAX_HEAP_MB))
      }`;
    const flags = permissionFlags(permissions);
    return {
      permissions: { executor: name, permissions: flags },
      launch: {
        name,
        command: (socketPath) => [
          ...wrapper,
          runtimeExecutable(),
          "run",
          "--no-prompt",
          "--cached-only",
          `--v8-flags=${v8Flags}`,
          ...(guardMark === undefined ? [] : ["--unstable-worker-options"]),
          ...(inspect === undefined ? [] : [`--inspect=${inspect}`]),
          ...imports.flags,
          ...channelArguments(permissions, inputs.entry, socketPath),
        ],
        env: {
          ...env,
          ...own?.sandbox === "strict" ? {} : inputs.grantedEnv,
          ...denoVariables(),
        },
        boot: bootOf(inputs, own, guardMark),
        limits: own?.limits,
        maxAnswerBytes: config.maxOutputBytes + FRAME_BYTES,
      },
    };
  };
  const sharedPermissions = packPermissions(
    permissionInputs,
    plan.sharedNetworks,
  );
  const executors: ExecutorPlan = {
    shared: await Promise.all(Array.from(
      { length: config.executors },
      (_, at) =>
        planned(
          "shared",
          sharedPermissions,
          undefined,
          at === 0 ? config.inspect : undefined,
        ),
    )),
    own: await Promise.all(plan.own.map((own) =>
      planned(
        own.name,
        own.sandbox === "strict"
          ? strictPermissions(permissionInputs, own.network)
          : packPermissions(permissionInputs, [own.network]),
        own,
      )
    )),
  };
  return problem === undefined ? ok(executors) : err(problem);
}

/** The module root, our own files that the pack may import, and modules that the index names outside the root. */
function packPaths({ config, plan, imports }: ExecutorPlanInputs): string[] {
  const outside = [...plan.tools, ...plan.checks]
    .map(({ modulePath }) => modulePath)
    .filter((path) => !covers(config.moduleRoot, path));
  return [config.moduleRoot, ...imports.readPaths, ...new Set(outside)];
}

function bootOf(
  { config, plan, logLevel }: ExecutorPlanInputs,
  own: OwnExecutorPlan | undefined,
  guardMark: string | undefined,
): ExecutorBoot {
  return {
    // An executor of its own knows nothing but its tool, and runs that itself.
    tools: own === undefined ? plan.tools : own.tool ? [own.tool] : [],
    checks: own === undefined ? plan.checks : own.check ? [own.check] : [],
    maxOutputBytes: config.maxOutputBytes,
    logLevel,
    permissionSource: own?.sandbox === "strict" ? "declaration" : "grant",
    ...(guardMark === undefined ? {} : { guardMark }),
  };
}

/**
 * The permission flags, the entry and its arguments. Connecting to the channel takes permissions on top, which the
 * process gives up again before it imports pack code: those that its arguments name. One that the pack has anyway isn't
 * given up: with it Deno would take away the folder that it lies in.
 */
function channelArguments(
  permissions: PermissionSet,
  entry: string,
  socketPath: string,
): string[] {
  const lent: string[] = [];
  const lend = (kind: "net" | "read" | "write", name: string): Access => {
    const access = permissions[kind];
    if (access === true) return true;
    const names = access || [];
    if (kind !== "net" && names.some((path) => covers(path, name))) {
      return access;
    }
    lent.push(kind);
    return [...names, name];
  };
  const flags = permissionFlags({
    ...permissions,
    net: lend("net", `unix:${socketPath}`),
    read: lend("read", socketPath),
    write: lend("write", socketPath),
  });
  return [...flags, entry, socketPath, ...lent];
}

/** What Deno itself needs in an executor's environment; pack code can't read it. */
function denoVariables(): Record<string, string> {
  const variables: Record<string, string> = {};
  const names = [
    "DENO_DIR",
    "DENO_CERT",
    "DENO_TLS_CA_STORE",
    // Deno's cache has a folder for each registry.
    "NPM_CONFIG_REGISTRY",
  ];
  for (const name of names) {
    const value = environmentVariable(name);
    if (value !== undefined) variables[name] = value;
  }
  // Where Deno's cache is follows from variables that may be filtered out.
  const cacheHome = environmentVariable("XDG_CACHE_HOME");
  const home = environmentVariable("HOME");
  if (variables.DENO_DIR === undefined) {
    if (systemName() === "linux" && cacheHome) {
      variables.DENO_DIR = join(cacheHome, "deno");
    } else if (home) {
      variables.DENO_DIR = systemName() === "darwin"
        ? join(home, "Library", "Caches", "deno")
        : join(home, ".cache", "deno");
    }
  }
  return variables;
}
