/**
 * What an executor may reach, as Deno's permission flags (`spec/executors.md`, Permissions).
 *
 * @module
 */

import { isIPv6 } from "../base/ip_address.ts";
import { covers } from "./outward_links.ts";
import type { Grant } from "./grants.ts";
import type { NetworkDeclaration } from "./sandbox.ts";
import type { PermissionSetting } from "./settings.ts";

/** Everything, nothing, or what is named. */
export type Access = true | false | readonly string[];

/** The kinds of access that Deno tells apart, the environment aside. */
export interface PermissionSet {
  /** Hosts. */
  readonly net: Access;
  /** Paths that may be read. */
  readonly read: Access;
  /** Paths that may not be read, whatever `read` opens. */
  readonly denyRead: readonly string[];
  /** Paths that may be written. */
  readonly write: Access;
  /** Facts of the operating system. */
  readonly sys: Access;
  /** Programs that may be started. */
  readonly run: Access;
  /** Native libraries that may be loaded. */
  readonly ffi: Access;
  /** Environment variables that can be read; every other one reads as unset. */
  readonly env: readonly string[];
}

/** What the permissions of every executor of a pack are made from. */
export interface PermissionInputs {
  /** The operator's choice. */
  readonly mode: PermissionSetting;
  /** What the operator opened on top. */
  readonly grants: readonly Grant[];
  /** The module root, and whatever else has to be read to load the pack. */
  readonly packPaths: readonly string[];
  /** The index file. */
  readonly indexPath: string;
  /** The environment variables that reach the pack. */
  readonly env: readonly string[];
}

/**
 * Where the environments of other processes can be read, the service's token among them.
 *
 * Deno refuses these paths to whatever reads files, but not to `import()`, which tells what it loaded: as text, or in the
 * message of a syntax error. So they are denied by name, links to them are not made (`EVERYWHERE`), and a pack that
 * brings one along isn't served.
 */
const PROCESS_FOLDERS = ["/proc", "/dev/fd"] as const;

/**
 * What write access to everything is called: with the flag alone, without a path, Deno lets code make symbolic links, and
 * through one of those it could name what is denied by another name.
 */
const EVERYWHERE = ["/"] as const;

/** Whether a path leads to the environments of other processes, or to a folder above them. */
export function leadsToProcesses(path: string): boolean {
  return PROCESS_FOLDERS.some((folder) =>
    covers(folder, path) || covers(path, folder)
  );
}

/** The permissions of the shared executor, or of a context-isolated one; `networks` are what its tools declare. */
export function packPermissions(
  inputs: PermissionInputs,
  networks: readonly (NetworkDeclaration | undefined)[],
): PermissionSet {
  const permissions = withGrants(
    modePermissions(inputs, networks),
    inputs.grants,
  );
  if (inputs.mode === "all") return permissions;
  const { read } = permissions;
  const open = read === true || read !== false && read.some(leadsToProcesses);
  return open ? { ...permissions, denyRead: PROCESS_FOLDERS } : permissions;
}

function modePermissions(
  { mode, packPaths, indexPath, env }: PermissionInputs,
  networks: readonly (NetworkDeclaration | undefined)[],
): PermissionSet {
  switch (mode) {
    case "standard":
      // Without `run` and `ffi`: either would read the environment that the filter keeps from the pack.
      return {
        net: true,
        read: true,
        denyRead: [],
        write: EVERYWHERE,
        sys: true,
        run: false,
        ffi: false,
        env,
      };
    case "declared":
      return {
        net: unionOf(networks),
        read: [...packPaths, indexPath],
        denyRead: [],
        write: false,
        sys: true,
        run: false,
        ffi: false,
        env,
      };
    case "all":
      return {
        net: true,
        read: true,
        denyRead: [],
        write: true,
        sys: true,
        run: true,
        ffi: true,
        env,
      };
  }
}

/** The permissions of a strict tool: what it declares, whatever the operator opened for others. */
export function strictPermissions(
  { packPaths, env }: PermissionInputs,
  network: NetworkDeclaration | undefined,
): PermissionSet {
  return {
    net: network === undefined ? false : accessOf(network),
    read: packPaths,
    denyRead: [],
    write: false,
    sys: false,
    run: false,
    ffi: false,
    env,
  };
}

function accessOf(network: NetworkDeclaration): Access {
  switch (network.kind) {
    case "none":
      return false;
    case "unrestricted":
      return true;
    case "allowlist":
      return network.hosts.length === 0 ? false : network.hosts;
  }
}

/** All hosts that are declared; everything as soon as one tool declares nothing. */
function unionOf(
  networks: readonly (NetworkDeclaration | undefined)[],
): Access {
  const hosts = new Set<string>();
  for (const network of networks) {
    const access = network === undefined ? true : accessOf(network);
    if (access === true) return true;
    if (access !== false) { for (const host of access) hosts.add(host); }
  }
  return hosts.size === 0 ? false : [...hosts].sort();
}

const KINDS = ["net", "read", "write", "sys", "run", "ffi"] as const;

function withGrants(
  permissions: PermissionSet,
  grants: readonly Grant[],
): PermissionSet {
  const result: { -readonly [K in keyof PermissionSet]: PermissionSet[K] } = {
    ...permissions,
  };
  for (const { kind, value } of grants) {
    if (kind === "env") {
      if (value !== undefined && !result.env.includes(value)) {
        result.env = [...result.env, value];
      }
      continue;
    }
    const name = KINDS.find((known) => known === kind);
    if (name === undefined) continue;
    const before = result[name];
    result[name] = value === undefined || before === true
      ? true
      : [...(before || []), value];
  }
  return result;
}

/** Deno's flags for a set of permissions. */
export function permissionFlags(permissions: PermissionSet): string[] {
  const flags: string[] = [];
  for (const kind of KINDS) {
    const access = permissions[kind];
    if (access === true) flags.push(`--allow-${kind}`);
    else if (access !== false && access.length > 0) {
      const names = kind === "net" ? access.map(bracketed) : access;
      flags.push(`--allow-${kind}=${listFlag(names)}`);
    }
  }
  if (permissions.denyRead.length > 0) {
    flags.push(`--deny-read=${listFlag(permissions.denyRead)}`);
  }
  // Without a name the flag would allow them all.
  const env = permissions.env.length > 0
    ? permissions.env
    : ["KINDGI_NO_VARIABLE"];
  flags.push(`--allow-env=${listFlag(env)}`, "--ignore-env");
  return flags;
}

/** An IPv6 address as Deno's flag takes it. */
function bracketed(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}

/** Deno splits a flag's value at every comma; see {@link pathWithComma}. */
function listFlag(values: readonly string[]): string {
  return values.join(",");
}

/** A path that no flag can name, since it holds a comma; `undefined` when there is none. */
export function pathWithComma(
  { read, denyRead, write, run, ffi }: PermissionSet,
): string | undefined {
  return [read, denyRead, write, run, ffi]
    .flatMap((access) => typeof access === "boolean" ? [] : access)
    .find((path) => path.includes(","));
}
