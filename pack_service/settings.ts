/**
 * The pack service's configuration: what its arguments and environment say (`spec/handler_runtime.md` 4 and
 * `spec/executors.md`).
 *
 * @module
 */
import { dirname } from "@std/path/posix/dirname";
import { err, ok, type Result } from "../base/result.ts";
import { type FlagValues, readFlags } from "./flags.ts";
import { type Grant, parseGrant, parseGrantList } from "./grants.ts";
import {
  type Environment,
  type PackEnvCheck,
  type PackEnvFilter,
  parsePackEnvCheck,
  parsePackEnvFilter,
} from "./pack_env.ts";
import { SettingsReader } from "./settings_reader.ts";

export { PACK_SERVICE_HELP } from "./service_help.ts";

/** `declared`: what tools declare about their sandbox is enforced; `off`: everything runs in the shared executor. */
export type SandboxSetting = "declared" | "off";

/** How much pack code may do, before grants: the table of `spec/executors.md`, Permissions. */
export type PermissionSetting = "standard" | "declared" | "all";

/** More shared processes than any machine has use for: a slip of the pen. */
const MAX_EXECUTORS = 256;

/** What a pack service process is told to do. */
export interface PackServiceConfig {
  /** Path of the pack's index. */
  readonly index: string;
  /** Folder that relative module paths resolve against. */
  readonly moduleRoot: string;
  /** Path of a build's map from the index's module paths to bundles. */
  readonly bundleMap?: string;
  /** The one address to listen on; every interface when absent. */
  readonly host?: string;
  /** The port to listen on; 0 picks one. */
  readonly port: number;
  /** The secret that callers send, trimmed; empty only with `printPermissions`. */
  readonly token: string;
  /** How many calls may be under way. */
  readonly maxConcurrency: number;
  /** What a missing required variable means. */
  readonly envCheck: PackEnvCheck;
  /** Whether undeclared variables are kept from pack code. */
  readonly envFilter: PackEnvFilter;
  /** How many shared executors. */
  readonly executors: number;
  /** Whether declared sandboxes are enforced. */
  readonly sandbox: SandboxSetting;
  /** How much pack code may do. */
  readonly permissions: PermissionSetting;
  /** What is opened beyond that, the environment's before the arguments'. */
  readonly grants: readonly Grant[];
  /** Largest answer of a call, in bytes. */
  readonly maxOutputBytes: number;
  /** How long a request's body may take to arrive, in milliseconds. */
  readonly bodyTimeoutMs: number;
  /** How often to write a `stats` record, in milliseconds; never when absent. */
  readonly statsMs?: number;
  /** Where a debugger may attach to the shared executor, as `HOST:PORT`. */
  readonly inspect?: string;
  /** Whether to print the executors' permissions instead of serving. */
  readonly printPermissions: boolean;
}

/** Arguments or an environment that make no sense. */
export interface PackServiceConfigError {
  /** The name of the record that tells it. */
  readonly code: "config-invalid";
  /** Everything that is wrong, in the order of the specification. */
  readonly problems: readonly string[];
}

/** What the place where the service runs can do. */
export interface PackServicePlace {
  /** Whether there are executors with permissions of their own; not on Node, where their settings are refused. */
  readonly executors: boolean;
}

/** The variable with the token; the process removes it once it is read. */
export const PACK_TOKEN_VAR = "KINDGI_PACK_SERVICE_TOKEN";

const DEFAULT_INDEX = "/app/index.json";
const DEFAULT_INSPECT = "127.0.0.1:9229";
/** The longest time that a timer can wait. */
const MAX_TIMER_MS = 2_147_483_647;

/**
 * What the arguments ask for: `help` and `version` are served before anything else is read, whatever else is wrong.
 */
export function packServiceCommand(
  argv: readonly string[],
): "help" | "version" | "serve" {
  const flags = readFlags(argv);
  return flags.help ? "help" : flags.version ? "version" : "serve";
}

/**
 * Reads the configuration; arguments win over the environment.
 *
 * The error lists every problem: the arguments themselves first, then bundle map, host, token, port, cap, env check and
 * env filter, then what concerns executors. No problem repeats the token. An empty variable counts as unset
 * (`spec/decisions.md` 7). The log settings are read apart, by `parseLogSettings`, since a process needs them to report
 * these problems.
 */
export function readPackServiceConfig(
  argv: readonly string[],
  env: Environment,
  place: PackServicePlace = { executors: true },
): Result<PackServiceConfig, PackServiceConfigError> {
  const flags = readFlags(argv);
  const problems = [...flags.problems];
  const reader = new SettingsReader(env, problems);

  const index = flags.index ?? reader.text("KINDGI_PACK_INDEX") ??
    DEFAULT_INDEX;
  for (
    const [flag, value] of [
      ["--index", flags.index],
      ["--module-root", flags.moduleRoot],
      ["--bundle-map", flags.bundleMap],
      ["--host", flags.host],
    ]
  ) {
    if (value === "") problems.push(`${flag} must not be empty`);
  }
  const token = readToken(env, flags.printPermissions, problems);
  const port = reader.integer("PORT", 8080, 0, 65_535);
  const maxConcurrency = reader.integer(
    "KINDGI_PACK_SERVICE_MAX_CONCURRENCY",
    32,
    1,
  );
  const envCheck = reader.parsed("KINDGI_PACK_ENV_CHECK", parsePackEnvCheck);
  const envFilter = reader.parsed("KINDGI_PACK_ENV_FILTER", parsePackEnvFilter);
  const executors = reader.integer(
    "KINDGI_PACK_EXECUTORS",
    1,
    1,
    MAX_EXECUTORS,
  );
  const sandbox = reader.choice<SandboxSetting>("KINDGI_PACK_SANDBOX", [
    "declared",
    "off",
  ]);
  const permissions = reader.choice<PermissionSetting>(
    "KINDGI_PACK_PERMISSIONS",
    ["standard", "declared", "all"],
  );
  const grants = readGrants(flags, env, problems);
  const maxOutputBytes = reader.integer(
    "KINDGI_PACK_MAX_OUTPUT_BYTES",
    67_108_864,
    1,
  );
  const bodyTimeoutMs = reader.integer(
    "KINDGI_PACK_BODY_TIMEOUT_MS",
    30_000,
    1,
    MAX_TIMER_MS,
  );
  const statsMs = reader.text("KINDGI_PACK_STATS_MS") === undefined
    ? undefined
    : reader.integer("KINDGI_PACK_STATS_MS", 0, 1, MAX_TIMER_MS);
  const inspect = readInspect(flags, problems);
  if (!place.executors) refuseExecutorSettings(flags, env, problems);

  if (problems.length > 0) return err({ code: "config-invalid", problems });
  return ok({
    index,
    moduleRoot: flags.moduleRoot ?? dirname(index),
    ...(flags.bundleMap === undefined ? {} : { bundleMap: flags.bundleMap }),
    ...(flags.host === undefined ? {} : { host: flags.host }),
    port,
    token,
    maxConcurrency,
    envCheck,
    envFilter,
    executors,
    sandbox,
    permissions,
    grants,
    maxOutputBytes,
    bodyTimeoutMs,
    ...(statsMs === undefined ? {} : { statsMs }),
    ...(inspect === undefined ? {} : { inspect }),
    printPermissions: flags.printPermissions,
  });
}

function readToken(
  env: Environment,
  optional: boolean,
  problems: string[],
): string {
  const token = env[PACK_TOKEN_VAR]?.trim() ?? "";
  if (token === "") {
    if (!optional) {
      problems.push(
        `${PACK_TOKEN_VAR} is not set; give the secret that callers send as kindgi-pack-token`,
      );
    }
  } else if (!/^[\x21-\x7e]+$/.test(token)) {
    problems.push(
      `${PACK_TOKEN_VAR} must be printable ASCII without spaces, since it travels in an HTTP header`,
    );
  }
  return token;
}

function readGrants(
  flags: FlagValues,
  env: Environment,
  problems: string[],
): Grant[] {
  const grants: Grant[] = [];
  const listed = parseGrantList(env.KINDGI_PACK_GRANT ?? "");
  if (listed.kind === "ok") grants.push(...listed.value);
  else {
    for (const problem of listed.error) {
      problems.push(`KINDGI_PACK_GRANT: ${problem}`);
    }
  }
  for (const text of flags.grants) {
    const grant = parseGrant(text);
    if (grant.kind === "ok") grants.push(grant.value);
    else problems.push(`--grant ${text}: ${grant.error}`);
  }
  return grants;
}

function readInspect(
  flags: FlagValues,
  problems: string[],
): string | undefined {
  if (flags.inspect === undefined) return undefined;
  if (flags.inspect === true) return DEFAULT_INSPECT;
  const match = /^(?:\[[0-9a-fA-F:.]+\]|[^\s:[\]]+):([0-9]{1,5})$/.exec(
    flags.inspect,
  );
  if (match && Number(match[1]) <= 65_535) return flags.inspect;
  problems.push(
    `--inspect must be HOST:PORT, got ${JSON.stringify(flags.inspect)}`,
  );
  return undefined;
}

/** Settings that would silently do nothing without executors of their own. */
function refuseExecutorSettings(
  flags: FlagValues,
  env: Environment,
  problems: string[],
): void {
  const given = [
    ...[
      "KINDGI_PACK_EXECUTORS",
      "KINDGI_PACK_PERMISSIONS",
      "KINDGI_PACK_GRANT",
    ].filter((name) => env[name]),
    ...flags.grants.length > 0 ? ["--grant"] : [],
    ...flags.inspect !== undefined ? ["--inspect"] : [],
    ...flags.printPermissions ? ["--print-permissions"] : [],
  ];
  for (const name of given) {
    problems.push(
      `${name} needs executors under Deno's permissions, which this runtime doesn't have; leave it out, or run the service on Deno`,
    );
  }
}
