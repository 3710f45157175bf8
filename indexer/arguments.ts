/**
 * The command line of `kindgi-index`.
 *
 * @module
 */
import { err, ok, type Result } from "../base/result.ts";
import {
  type Grant,
  PACK_ENV_NAME,
  parseGrant,
} from "../pack_service/pack_process.ts";

/** What a command line asks for. */
export type Command =
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  | { readonly kind: "index"; readonly settings: CommandSettings };

/** The settings of an indexing run, paths as they were given. */
export interface CommandSettings {
  /** `--pack-dir`. */
  readonly packDir: string;
  /** `--config`. */
  readonly config?: string;
  /** `--output`. */
  readonly output?: string;
  /** `--bundle-map`. */
  readonly bundleMap?: string;
  /** `--module-root`. */
  readonly moduleRoot?: string;
  /** `--artifact-version`. */
  readonly artifactVersion?: string;
  /** `--published-at`. */
  readonly publishedAt?: string;
  /** Every `--grant`. */
  readonly grants: readonly Grant[];
  /** Every `--env`, and the names of `--grant env=NAME`. */
  readonly env: readonly string[];
  /** `--keep-going`. */
  readonly keepGoing: boolean;
  /** `--strict`. */
  readonly strict: boolean;
  /** `--check`. */
  readonly check: boolean;
  /** `--quiet`. */
  readonly quiet: boolean;
}

/** Flags with a value, and the setting that each is. */
const VALUES = {
  "--pack-dir": "packDir",
  "--config": "config",
  "--output": "output",
  "--bundle-map": "bundleMap",
  "--module-root": "moduleRoot",
  "--artifact-version": "artifactVersion",
  "--published-at": "publishedAt",
} as const;

/** Flags without one. */
const SWITCHES = {
  "--keep-going": "keepGoing",
  "--strict": "strict",
  "--check": "check",
  "--quiet": "quiet",
} as const;

type ValueFlag = keyof typeof VALUES;
type SwitchFlag = keyof typeof SWITCHES;

/**
 * Reads a command line from left to right; the first `--help` or `--version` wins over whatever follows, and of repeated
 * flags the last. The error is one sentence.
 */
export function parseArguments(
  argv: readonly string[],
): Result<Command, string> {
  const values: {
    -readonly [Flag in ValueFlag as (typeof VALUES)[Flag]]?: string;
  } = {};
  const switches = {
    keepGoing: false,
    strict: false,
    check: false,
    quiet: false,
  };
  const grants: Grant[] = [];
  const env: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const flag = argv[at]!;
    if (flag === "--help" || flag === "-h") return ok({ kind: "help" });
    if (flag === "--version" || flag === "-v") return ok({ kind: "version" });
    if (Object.hasOwn(SWITCHES, flag)) {
      switches[SWITCHES[flag as SwitchFlag]] = true;
      continue;
    }
    const takesValue = Object.hasOwn(VALUES, flag) || flag === "--grant" ||
      flag === "--env";
    if (!takesValue) return err(`there is no argument ${JSON.stringify(flag)}`);
    const value = argv[++at];
    if (value === undefined) return err(`${flag} needs a value`);
    if (flag === "--env") {
      if (!PACK_ENV_NAME.test(value)) {
        return err(`--env ${value} doesn't name an environment variable`);
      }
      env.push(value);
    } else if (flag === "--grant") {
      const grant = parseGrant(value);
      if (grant.kind === "err") return err(`--grant ${value}: ${grant.error}`);
      if (grant.value.kind === "env") env.push(grant.value.value ?? "");
      else grants.push(grant.value);
    } else {
      values[VALUES[flag as ValueFlag]] = value;
    }
  }
  const { packDir } = values;
  if (packDir === undefined) return err("--pack-dir is missing");
  if (values.moduleRoot !== undefined && values.bundleMap === undefined) {
    return err(
      "--module-root is the folder of a build's bundles, and needs --bundle-map",
    );
  }
  return ok({
    kind: "index",
    settings: { ...values, packDir, ...switches, grants, env },
  });
}

/** What `--help` prints. */
export const HELP = `kindgi-index: writes a pack's index.json

Usage: kindgi-index --pack-dir <folder> [options]

What is indexed
  --pack-dir <folder>        the pack's root (required)
  --config <file>            its config; default: kindgi.config.ts, .mts, .mjs, .js
                             or .cjs in the root
  --bundle-map <file>        index a build: a JSON object of source path → bundle
  --module-root <folder>     the folder of the map's bundles; default: the pack's

What is written
  --output <file>            default: index.json in the pack's root
  --artifact-version <text>  the build's number; default: <UTC date>.<n>
  --published-at <time>      the build's time; default: SOURCE_DATE_EPOCH, else now
  --check                    write nothing: compare with the index that is there, say
                             what differs, and exit with 1 if anything does

Files that can't be indexed
  --keep-going               leave them out, list them in the report, write the index;
                             without it they fail the run and nothing is written
  --strict                   with --keep-going: exit with 1 all the same

What the pack's modules may do when they are imported (by default: read the pack)
  --grant <kind>=<value>     open more, by name; may be repeated. read=../lib lets
                             imports reach a folder beside the pack. Also: net, write,
                             sys, run, ffi
  --env <name>               let them read an environment variable; may be repeated

  --quiet                    print no summary and no progress
  -h, --help                 print this
  -v, --version              print the version

Environment
  SOURCE_DATE_EPOCH          the build's time in seconds since 1970
  KINDGI_INDEX_IMPORT_TIMEOUT_MS
                             how long one module may take to import; default: 60000

The report is JSON on standard output. Everything for people is on standard error.

Exit codes: 0 done, 1 the run failed or the check found a difference, 2 wrong usage.

Example
  kindgi-index --pack-dir . --output dist/index.json
`;
