/**
 * The environment variables that a pack declares, and what of the process's environment its code may see
 * (`spec/handler_runtime.md` 4.1, 4.2).
 *
 * @module
 */
import { compareCodeUnits } from "../base/canonical_json.ts";
import { err, isRecord, ok, type Result } from "../base/result.ts";

/** What the name of an environment variable looks like. */
export const PACK_ENV_NAME: RegExp = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Variables that begin so are Kindgi's own: a pack can't declare one, and the filter keeps them. */
export const RESERVED_ENV_PREFIX = "KINDGI_";

/** The variable that says what a missing required variable means: `strict` or `warn`. */
export const PACK_ENV_CHECK_VAR = "KINDGI_PACK_ENV_CHECK";

/** The variable that says whether undeclared variables are kept from pack code: `on` or `off`. */
export const PACK_ENV_FILTER_VAR = "KINDGI_PACK_ENV_FILTER";

/** `strict`: a service that lacks a required variable isn't ready; `warn`: it serves anyway and says so. */
export type PackEnvCheck = "strict" | "warn";

/** `on`: pack code sees what it declares and the platform's variables; `off`: all. */
export type PackEnvFilter = "on" | "off";

/** The variables that a pack's code reads, as the index carries them. */
export interface PackEnvDeclaration {
  /** Names without which the service isn't ready. */
  readonly required?: readonly string[];
  /** Names that may be unset. */
  readonly optional?: readonly string[];
}

/** A declaration that has been checked: both lists are there, sorted by code unit. */
export interface ResolvedPackEnv extends PackEnvDeclaration {
  /** Names without which the service isn't ready. */
  readonly required: readonly string[];
  /** Names that may be unset. */
  readonly optional: readonly string[];
}

/** Something about the pack's environment that makes no sense. */
export interface PackEnvError {
  /** `pack-env-invalid`: a declaration or a setting can't be used. */
  readonly code: "pack-env-invalid";
  /** Every problem, joined with `; `. */
  readonly message: string;
}

/** An environment: names and values. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The platform's variables, which reach pack code without being declared. The list is shared across languages. */
export const PLATFORM_ENV_NAMES: readonly string[] = Object.freeze([
  // The process's basics.
  "PATH",
  "HOME",
  "HOSTNAME",
  "USER",
  "LANG",
  "LANGUAGE",
  "TZ",
  "TMPDIR",
  "TMP",
  "TEMP",
  "PWD",
  "SHLVL",
  "_",
  "__CF_USER_TEXT_ENCODING",
  // The language runtime's settings.
  "NODE_ENV",
  "NODE_VERSION",
  "YARN_VERSION",
  "NODE_OPTIONS",
  "NODE_EXTRA_CA_CERTS",
  "JAVA_HOME",
  "JAVA_VERSION",
  "JAVA_TOOL_OPTIONS",
  "JDK_JAVA_OPTIONS",
  "_JAVA_OPTIONS",
  "VIRTUAL_ENV",
  // The service's port.
  "PORT",
  // Proxies and certificates.
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "http_proxy",
  "https_proxy",
  "no_proxy",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "REQUESTS_CA_BUNDLE",
  "CURL_CA_BUNDLE",
  // Cloud Run.
  "K_SERVICE",
  "K_REVISION",
  "K_CONFIGURATION",
  // AWS: workload identity and metadata, never static keys.
  "AWS_REGION",
  "AWS_DEFAULT_REGION",
  "AWS_EXECUTION_ENV",
  "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
  "AWS_CONTAINER_CREDENTIALS_FULL_URI",
  "AWS_CONTAINER_AUTHORIZATION_TOKEN",
  "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
  "AWS_WEB_IDENTITY_TOKEN_FILE",
  "AWS_ROLE_ARN",
  "ECS_CONTAINER_METADATA_URI",
  "ECS_CONTAINER_METADATA_URI_V4",
  // Azure: workload identity and metadata, never static keys.
  "IDENTITY_ENDPOINT",
  "IDENTITY_HEADER",
  "MSI_ENDPOINT",
  "MSI_SECRET",
  "AZURE_CLIENT_ID",
  "AZURE_TENANT_ID",
  "AZURE_FEDERATED_TOKEN_FILE",
  "AZURE_AUTHORITY_HOST",
]);

/** Beginnings of the platform's variables, beside {@link PLATFORM_ENV_NAMES}. */
export const PLATFORM_ENV_PREFIXES: readonly string[] = Object.freeze([
  "LC_",
  "PYTHON",
  "OTEL_",
  "CLOUD_RUN_",
  "CONTAINER_APP_",
]);

/**
 * Checks a pack's `env` declaration; the value is undefined when nothing is declared.
 *
 * The error names every problem: unknown keys, lists that aren't lists of strings, bad and reserved names, and names
 * that come twice.
 */
export function resolvePackEnv(
  env: unknown,
): Result<ResolvedPackEnv | undefined, PackEnvError> {
  if (env === undefined) return ok(undefined);
  if (!isRecord(env)) {
    return refused(
      `env must be an object with the lists "required" and "optional"`,
    );
  }
  const unknown = Object.keys(env).filter((key) =>
    key !== "required" && key !== "optional"
  );
  if (unknown.length > 0) {
    return refused(
      `env has the unknown ${unknown.length === 1 ? "key" : "keys"} ${
        unknown.map(quoted).join(", ")
      }; only "required" and "optional" are read`,
    );
  }
  const problems: string[] = [];
  const required = readNames("required", env.required, problems);
  const optional = readNames("optional", env.optional, problems);
  for (const name of required) {
    if (optional.includes(name)) {
      problems.push(
        `${quoted(name)} is in both env.required and env.optional; keep one`,
      );
    }
  }
  if (problems.length > 0) return refused(problems.join("; "));
  if (required.length === 0 && optional.length === 0) return ok(undefined);
  return ok({
    required: required.sort(compareCodeUnits),
    optional: optional.sort(compareCodeUnits),
  });
}

/** The required names that are unset or empty, in the declaration's order. A single space counts as set. */
export function missingPackEnv(
  declaration: PackEnvDeclaration | undefined,
  environment: Environment,
): string[] {
  return (declaration?.required ?? []).filter((name) =>
    !Object.hasOwn(environment, name) || !environment[name]
  );
}

/**
 * The names to drop from an environment before pack code loads, sorted by code unit: all but those that the pack
 * declares, Kindgi's own, and the platform's.
 */
export function undeclaredPackEnv(
  declaration: PackEnvDeclaration | undefined,
  environment: Environment,
): string[] {
  const kept = new Set([
    ...PLATFORM_ENV_NAMES,
    ...declaration?.required ?? [],
    ...declaration?.optional ?? [],
  ]);
  const prefixes = [RESERVED_ENV_PREFIX, ...PLATFORM_ENV_PREFIXES];
  return Object.keys(environment)
    .filter((name) =>
      !kept.has(name) && !prefixes.some((prefix) => name.startsWith(prefix))
    )
    .sort(compareCodeUnits);
}

/** Reads the value of {@link PACK_ENV_CHECK_VAR}; unset and empty mean `strict`. */
export function parsePackEnvCheck(
  raw: string | undefined,
): Result<PackEnvCheck, PackEnvError> {
  if (!raw) return ok("strict");
  if (raw === "strict" || raw === "warn") return ok(raw);
  return refused(
    `${PACK_ENV_CHECK_VAR} must be "strict" or "warn", got ${quoted(raw)}`,
  );
}

/** Reads the value of {@link PACK_ENV_FILTER_VAR}; unset and empty mean `on`. */
export function parsePackEnvFilter(
  raw: string | undefined,
): Result<PackEnvFilter, PackEnvError> {
  if (!raw) return ok("on");
  if (raw === "on" || raw === "off") return ok(raw);
  return refused(
    `${PACK_ENV_FILTER_VAR} must be "on" or "off", got ${quoted(raw)}`,
  );
}

/** A list of names, without those it adds problems for. */
function readNames(key: string, list: unknown, problems: string[]): string[] {
  if (list === undefined) return [];
  if (
    !Array.isArray(list) || !list.every((name) => typeof name === "string")
  ) {
    problems.push(`env.${key} must be a list of strings`);
    return [];
  }
  const names = new Set<string>();
  const repeated = new Set<string>();
  for (const name of list as string[]) {
    if (names.has(name)) repeated.add(name);
    names.add(name);
  }
  for (const name of names) {
    if (!PACK_ENV_NAME.test(name)) {
      problems.push(
        `env.${key} has ${
          quoted(name)
        }, which isn't the name of an environment variable`,
      );
    } else if (name.startsWith(RESERVED_ENV_PREFIX)) {
      problems.push(
        `env.${key} has ${
          quoted(name)
        }; names that begin ${RESERVED_ENV_PREFIX} are Kindgi's own`,
      );
    }
    if (repeated.has(name)) {
      problems.push(`env.${key} has ${quoted(name)} more than once`);
    }
  }
  return [...names];
}

function refused(message: string): Result<never, PackEnvError> {
  return err({ code: "pack-env-invalid", message });
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
