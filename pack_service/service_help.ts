/**
 * What `--help` of the pack service prints.
 *
 * @module
 */

/** The help text: usage, flags, environment variables and exit codes. */
export const PACK_SERVICE_HELP: string =
  `kindgi-pack-service: serves a pack's tools and checks over pack protocol v2.

Usage:
  kindgi-pack-service [--index PATH] [--module-root DIR] [--bundle-map PATH] [--host ADDRESS] [--grant KIND=VALUE ...]

Flags (they win over the environment):
  --index PATH            the pack's index (default: KINDGI_PACK_INDEX, else /app/index.json)
  --module-root DIR       where the index's module paths lie (default: the index's folder)
  --bundle-map PATH       a build's map from the index's module paths to the bundles that load
  --host ADDRESS          listen on this address only (default: every interface)
  --grant KIND=VALUE      open more to pack code; repeatable. KIND: net read write env sys run ffi
  --inspect[=HOST:PORT]   attach a debugger to the shared executor (default 127.0.0.1:9229)
  --print-permissions     print what each executor of the index may do, and exit
  -h, --help              print this, and exit
  -v, --version           print the version, and exit

Environment:
  KINDGI_PACK_SERVICE_TOKEN             the secret that callers send as kindgi-pack-token (required)
  PORT                                  port to listen on, 0 picks one (default 8080)
  KINDGI_PACK_INDEX                     as --index
  KINDGI_PACK_SERVICE_MAX_CONCURRENCY   calls at once (default 32)
  KINDGI_PACK_ENV_CHECK                 strict | warn: a missing required variable refuses calls, or is only told (default strict)
  KINDGI_PACK_ENV_FILTER                on | off: keep undeclared variables from pack code (default on)
  KINDGI_PACK_EXECUTORS                 how many shared executors; more than 1 only for packs without module state (default 1)
  KINDGI_PACK_SANDBOX                   declared | off: enforce what tools declare about their sandbox (default declared)
  KINDGI_PACK_PERMISSIONS               standard | declared | all: what pack code may do (default standard)
  KINDGI_PACK_GRANT                     grants with spaces between, values may be JSON strings: read="/my data" run=ffmpeg
  KINDGI_PACK_MAX_OUTPUT_BYTES          largest answer of a call (default 67108864)
  KINDGI_PACK_BODY_TIMEOUT_MS           how long a request's body may take to arrive (default 30000)
  KINDGI_PACK_STATS_MS                  write a stats record this often (default: never)
  KINDGI_LOG_LEVEL                      error | warn | info | debug | trace (default info)
  KINDGI_LOG_LEVELS                     levels of single subsystems: pack.tool=debug,pack=warn
  KINDGI_LOG_FORMAT                     auto | json | pretty (default auto: pretty on a terminal)

Exit codes:
  0   stopped by SIGTERM, SIGINT or SIGHUP after calls under way had finished; also --help, --version, --print-permissions
  1   the configuration is invalid, or the pack cannot be served (stderr lists every problem); or a second signal forced the end
`;
