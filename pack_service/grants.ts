/**
 * Grants: what an operator opens to a pack's code beyond the permission set (`spec/executors.md`, Permissions).
 *
 * @module
 */
import { err, ok, type Result } from "../base/result.ts";
import { PACK_ENV_NAME } from "./pack_env.ts";

/** What a grant can open. */
export type GrantKind =
  | "net"
  | "read"
  | "write"
  | "env"
  | "sys"
  | "run"
  | "ffi";

/** Every kind of grant. */
export const GRANT_KINDS: readonly GrantKind[] = Object.freeze<GrantKind[]>([
  "net",
  "read",
  "write",
  "env",
  "sys",
  "run",
  "ffi",
]);

/** One thing that is opened, by name. */
export interface Grant {
  /** What it opens. */
  readonly kind: GrantKind;
  /** The host, path, variable, system fact, program or library; only `ffi` may go without, which opens all of it. */
  readonly value?: string;
}

/** Reads one `KIND=VALUE`, as a `--grant` flag has it; the value is taken as it stands. */
export function parseGrant(text: string): Result<Grant, string> {
  const at = text.indexOf("=");
  return at < 0
    ? makeGrant(text, undefined)
    : makeGrant(text.slice(0, at), text.slice(at + 1));
}

/**
 * Reads a list of grants with spaces between, as `KINDGI_PACK_GRANT` has it.
 *
 * A value that holds spaces is written as a JSON string: `read="/srv/my data" run=ffmpeg`. The error lists every problem.
 */
export function parseGrantList(text: string): Result<Grant[], string[]> {
  const grants: Grant[] = [];
  const problems: string[] = [];
  const entry = /\s*([^\s=]+)(?:=("(?:[^"\\]|\\.)*"(?=\s|$)|\S*))?/y;
  for (const rest = text.trimEnd(); entry.lastIndex < rest.length;) {
    const match = entry.exec(rest);
    if (!match) {
      problems.push(`a grant must begin with what it opens (${kinds()})`);
      break;
    }
    const value = unquoted(match[2]);
    const grant = value.kind === "err"
      ? value
      : makeGrant(match[1]!, value.value);
    if (grant.kind === "ok") grants.push(grant.value);
    else problems.push(grant.error);
  }
  return problems.length > 0 ? err(problems) : ok(grants);
}

function unquoted(
  raw: string | undefined,
): Result<string | undefined, string> {
  if (!raw?.startsWith(`"`)) return ok(raw);
  try {
    return ok(JSON.parse(raw) as string);
  } catch {
    return err(`${raw} begins like a JSON string but isn't one`);
  }
}

function makeGrant(
  kind: string,
  value: string | undefined,
): Result<Grant, string> {
  if (!isGrantKind(kind)) {
    return err(`${JSON.stringify(kind)} can't be granted, only ${kinds()} can`);
  }
  if (value === undefined) {
    return kind === "ffi" ? ok({ kind }) : err(
      `${kind} must be granted by name: ${kind}=${EXAMPLES[kind]}`,
    );
  }
  if (value === "" || value.includes("\0")) {
    return err(`${kind}= must name what it opens: ${kind}=${EXAMPLES[kind]}`);
  }
  if (kind === "env" && !PACK_ENV_NAME.test(value)) {
    return err(
      `env=${value} doesn't name an environment variable`,
    );
  }
  return ok({ kind, value });
}

const EXAMPLES: Readonly<Record<GrantKind, string>> = {
  net: "api.example.org:443",
  read: "/data",
  write: "/data",
  env: "DATABASE_URL",
  sys: "hostname",
  run: "ffmpeg",
  ffi: "/usr/lib/libx.so",
};

function isGrantKind(kind: string): kind is GrantKind {
  return (GRANT_KINDS as readonly string[]).includes(kind);
}

function kinds(): string {
  return GRANT_KINDS.join(", ");
}
