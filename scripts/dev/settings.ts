/**
 * What the command line and the environment of `deno task dev` ask for.
 *
 * @module
 */
import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { err, ok, type Result } from "../../base/result.ts";
import {
  PACK_TOKEN_VAR,
  parseGrant,
  parseLogSettings,
  readPackServiceConfig,
} from "../../pack_service/mod.ts";
import { type Environment, readEnvironment } from "./environment.ts";

/** What to develop, and how; paths are absolute, and without links where they exist: so changes are reported. */
export interface DevSettings {
  /** The pack's folder. */
  readonly packDir: string;
  /** The port of the one address; 0 picks one. */
  readonly port: number;
  /** The token to keep; a new one when absent. */
  readonly token: string | undefined;
  /** Files with variables, of which a later one wins over those before it. */
  readonly envFiles: readonly string[];
  /** What is opened to the pack's code, each as `KIND=VALUE`. */
  readonly grants: readonly string[];
  /** Where a debugger may attach, as `HOST:PORT`. */
  readonly inspect: string | undefined;
  /** Files and folders whose changes don't count. */
  readonly ignored: readonly string[];
}

const DEFAULT_PORT = "8080";
const DEFAULT_INSPECT = "127.0.0.1:9229";

/** What a front's token looks like. */
const TOKEN = /^[A-Za-z0-9_-]{32,}$/;

/** Where the command is run. */
export interface DevPlace {
  /** The variables. */
  readonly env: Environment;
  /** Where relative paths start. */
  readonly folder: string;
}

/** Reads the settings, or `"help"`; the error lists every problem that can be told at once. */
export async function readDevSettings(
  argv: readonly string[],
  place: DevPlace,
): Promise<Result<DevSettings | "help", readonly string[]>> {
  const line = readLine(argv);
  if (typeof line === "string") return err([line]);
  const values = line;
  if (values.help) return ok("help");

  const from = (path: string) => withoutLinks(resolve(place.folder, path));
  if (values["pack-dir"] === undefined) {
    return err(["--pack-dir is missing: name the pack's folder"]);
  }
  const packDir = from(values["pack-dir"]);
  const envFiles = (values["env-file"] ?? []).map(from);
  const environment = await readEnvironment(envFiles, place.env);
  if (environment.kind === "err") return err([environment.error]);

  const problems: string[] = [];
  if (!isFolder(packDir)) {
    problems.push(`Cannot develop ${packDir}: there is no such folder`);
  }
  const token = environment.value[PACK_TOKEN_VAR]?.trim() || undefined;
  if (token !== undefined && !TOKEN.test(token)) {
    problems.push(
      `${PACK_TOKEN_VAR} must be at least 32 characters of A-Z a-z 0-9 _ -; leave it out to get a new one`,
    );
  }
  const port = values.port ?? (environment.value.PORT || DEFAULT_PORT);
  if (!/^[0-9]{1,5}$/.test(port) || Number(port) > 65_535) {
    const name = values.port === undefined ? "PORT" : "--port";
    problems.push(
      `${name} must be a whole number from 0 to 65535, got ${
        JSON.stringify(port)
      }`,
    );
  }
  const settings: DevSettings = {
    packDir,
    port: Number(port),
    token,
    envFiles,
    grants: (values.grant ?? []).map((grant) => withAbsolutePath(grant, from)),
    inspect: values.inspect,
    ignored: (values.ignore ?? []).map(from),
  };
  problems.push(...serviceProblems(settings, environment.value));
  return problems.length > 0 ? err(problems) : ok(settings);
}

/** The flags of the service that come from these settings. */
export function serviceFlags(
  { grants, inspect }: Pick<DevSettings, "grants" | "inspect">,
): string[] {
  return [
    ...grants.map((grant) => `--grant=${grant}`),
    ...inspect === undefined ? [] : [`--inspect=${inspect}`],
  ];
}

/** The flags as given, or what is wrong with the line in one sentence. */
function readLine(argv: readonly string[]) {
  try {
    const { values } = parseArgs({
      // Its value may only come after a `=`, and may be left out.
      args: argv.map((word) =>
        word === "--inspect" ? `--inspect=${DEFAULT_INSPECT}` : word
      ),
      options: {
        "pack-dir": { type: "string" },
        "port": { type: "string" },
        "env-file": { type: "string", multiple: true },
        "grant": { type: "string", multiple: true },
        "inspect": { type: "string" },
        "ignore": { type: "string", multiple: true },
        "help": { type: "boolean", short: "h" },
      },
    });
    return values;
  } catch (error) {
    return (error as Error).message;
  }
}

/** What the service would say about its own settings, said before anything starts. */
function serviceProblems(
  settings: DevSettings,
  environment: Environment,
): readonly string[] {
  const env = {
    ...environment,
    // These the service gets from its supervisor.
    [PACK_TOKEN_VAR]: "-".repeat(32),
    PORT: "0",
    KINDGI_LOG_FORMAT: "json",
  };
  const argv = ["--index", "index.json", ...serviceFlags(settings)];
  const config = readPackServiceConfig(argv, env, { executors: true });
  const log = parseLogSettings(env);
  return [
    ...config.kind === "err" ? config.error.problems : [],
    ...log.kind === "err" ? log.error : [],
  ];
}

/** A grant whose path is meant from where the user stands, since the pack's code runs elsewhere. */
function withAbsolutePath(
  grant: string,
  from: (path: string) => string,
): string {
  const parsed = parseGrant(grant);
  if (parsed.kind === "err" || parsed.value.value === undefined) return grant;
  const { kind, value } = parsed.value;
  return kind === "read" || kind === "write" ? `${kind}=${from(value)}` : grant;
}

function withoutLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // There is no such file, which is said where it is needed.
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
