/**
 * Which executor runs which tool and check: what the index declares, checked and turned into a plan
 * (`spec/executors.md`, Which executors).
 *
 * @module
 */

import { isIPv6 } from "../base/ip_address.ts";
import { isRecord } from "../base/result.ts";
import {
  checkIdOf,
  type PackIndex,
  shippedChecks,
  toolKey,
} from "./pack_index.ts";
import type { RunnerCheck, RunnerTool } from "./pack_runner.ts";

/** What a tool may reach over the network. */
export type NetworkDeclaration =
  | { readonly kind: "none" }
  | { readonly kind: "unrestricted" }
  | { readonly kind: "allowlist"; readonly hosts: readonly string[] };

/** How much a strict tool may use. */
export interface LimitsDeclaration {
  /** Memory in MiB, at least 16. */
  readonly memMB?: number;
  /** CPU time of one call in ms, at least 1. */
  readonly cpuMs?: number;
}

/** An executor that runs one tool or check alone. */
export interface OwnExecutorPlan {
  /** `tool <id>@<version>` or `check <id>`. */
  readonly name: string;
  /** `strict`: only what it declares. `context-isolated`: the pack's permissions. */
  readonly sandbox: "strict" | "context-isolated";
  /** What it may reach; absent is none for a strict one. */
  readonly network: NetworkDeclaration | undefined;
  /** What it may use. */
  readonly limits: LimitsDeclaration | undefined;
  /** The tool, when it is one. */
  readonly tool?: RunnerTool;
  /** The check, when it is one. */
  readonly check?: RunnerCheck;
}

/** Who runs what. */
export interface SandboxPlan {
  /** Every tool; those with `isolated` run elsewhere. */
  readonly tools: readonly RunnerTool[];
  /** Every check; those with `isolated` run elsewhere. */
  readonly checks: readonly RunnerCheck[];
  /** The executors of their own. */
  readonly own: readonly OwnExecutorPlan[];
  /** The networks of what runs in the shared executor; an `undefined` declares none. */
  readonly sharedNetworks: readonly (NetworkDeclaration | undefined)[];
  /** What keeps the pack from being served: declarations that can't be held. */
  readonly problems: readonly string[];
  /** Names that declare limits which don't hold, for want of `strict`. */
  readonly limitsIgnored: readonly string[];
  /** Names whose sandbox isn't held because the operator turned it off. */
  readonly sandboxIgnored: readonly string[];
}

/** One tool or check with what it declares. */
interface Declared {
  readonly name: string;
  readonly entry: {
    readonly sandbox?: unknown;
    readonly network?: unknown;
    readonly limits?: unknown;
  };
  readonly tool?: RunnerTool;
  readonly check?: RunnerCheck;
}

/** V8 doesn't start below this heap. */
const LEAST_MEMORY_MB = 16;

/**
 * Makes the plan for an index. `mode` `"off"` runs everything in the shared executor, also what declares a sandbox that
 * nothing can hold: it is the way out for packs whose declarations were never enforced before.
 */
export function planSandbox(
  index: PackIndex,
  resolveModule: (modulePath: string) => string,
  mode: "declared" | "off",
): SandboxPlan {
  const problems: string[] = [];
  const own: OwnExecutorPlan[] = [];
  const sharedNetworks: (NetworkDeclaration | undefined)[] = [];
  const limitsIgnored: string[] = [];
  const sandboxIgnored: string[] = [];

  /** The name of the executor of its own, or `undefined` for the shared one. */
  const place = (declared: Declared): string | undefined => {
    const { name, entry } = declared;
    const sandbox = readSandbox(entry.sandbox);
    const network = readNetwork(entry.network);
    const limits = readLimits(entry.limits);
    if (mode === "off") {
      const declared = typeof sandbox === "string" || sandbox.value;
      if (declared !== undefined) sandboxIgnored.push(name);
      else if (typeof limits !== "string" && limits.value) {
        limitsIgnored.push(name);
      }
      sharedNetworks.push(
        typeof network === "string" ? undefined : network.value,
      );
      return undefined;
    }
    for (const read of [sandbox, network, limits]) {
      if (typeof read === "string") problems.push(`${name}: ${read}`);
    }
    if (
      typeof sandbox === "string" || typeof network === "string" ||
      typeof limits === "string"
    ) return undefined;
    if (limits.value && sandbox.value !== "strict") limitsIgnored.push(name);
    if (sandbox.value === undefined) {
      sharedNetworks.push(network.value);
      return undefined;
    }
    own.push({
      name,
      sandbox: sandbox.value,
      network: network.value,
      limits: sandbox.value === "strict" ? limits.value : undefined,
      ...(declared.tool && { tool: declared.tool }),
      ...(declared.check && { check: declared.check }),
    });
    return name;
  };

  const tools = index.tools.map((entry): RunnerTool => {
    const tool: RunnerTool = {
      id: entry.id,
      ...(entry.version === undefined ? {} : { version: entry.version }),
      modulePath: resolveModule(entry.modulePath),
      inputSchema: entry.input,
      outputSchema: entry.output,
    };
    const name = `tool ${toolKey(entry.id, entry.version)}`;
    const isolated = place({ name, entry, tool });
    return isolated === undefined ? tool : { ...tool, isolated };
  });
  const checks = shippedChecks(index).map((entry): RunnerCheck => {
    const id = checkIdOf(entry);
    const check: RunnerCheck = {
      id,
      modulePath: resolveModule(entry.checkModulePath),
      ...(entry.configSchema === undefined
        ? {}
        : { configSchema: entry.configSchema }),
    };
    const name = `check ${id}`;
    const isolated = place({ name, entry, check });
    return isolated === undefined ? check : { ...check, isolated };
  });

  return {
    tools,
    checks,
    own,
    sharedNetworks,
    problems,
    limitsIgnored,
    sandboxIgnored,
  };
}

/** A declaration that was read, or what is wrong with it. */
type Read<T> = { readonly value: T | undefined } | string;

function readSandbox(given: unknown): Read<"strict" | "context-isolated"> {
  if (given === undefined || given === "none") return { value: undefined };
  if (given === "strict" || given === "context-isolated") {
    return { value: given };
  }
  return `its sandbox ${
    JSON.stringify(given)
  } is unknown; "strict" and "context-isolated" are known`;
}

function readNetwork(given: unknown): Read<NetworkDeclaration> {
  if (given === undefined) return { value: undefined };
  if (isRecord(given)) {
    if (given.kind === "none" || given.kind === "unrestricted") {
      return { value: { kind: given.kind } };
    }
    if (given.kind === "allowlist" && Array.isArray(given.hosts)) {
      const wrong = given.hosts.find((host) => !isHost(host));
      if (wrong === undefined) {
        return { value: { kind: "allowlist", hosts: given.hosts } };
      }
      return `its network names the host ${
        JSON.stringify(wrong)
      }; a host is a name, name:port, an IP address or *.name`;
    }
  }
  return `its network is none of {kind:"none"}, {kind:"unrestricted"} and {kind:"allowlist", hosts:[…]}`;
}

const HOST_AND_PORT =
  /^(?:(?:\*\.)?[\w-]+(?:\.[\w-]+)*\.?|\[([^\]]+)\])(?::(\d{1,5}))?$/;

function isHost(host: unknown): boolean {
  if (typeof host !== "string") return false;
  if (isIPv6(host)) return true;
  const parts = HOST_AND_PORT.exec(host);
  if (parts === null) return false;
  const [, address, port] = parts;
  return (address === undefined || isIPv6(address)) &&
    (port === undefined || Number(port) <= 65_535);
}

function readLimits(given: unknown): Read<LimitsDeclaration> {
  if (given === undefined) return { value: undefined };
  if (!isRecord(given)) return "its limits are not an object";
  const { memMB, cpuMs } = given;
  if (
    memMB !== undefined &&
    !(typeof memMB === "number" && memMB >= LEAST_MEMORY_MB)
  ) {
    return `its limits.memMB is not a number of at least ${LEAST_MEMORY_MB}`;
  }
  if (cpuMs !== undefined && !(typeof cpuMs === "number" && cpuMs >= 1)) {
    return "its limits.cpuMs is not a number of at least 1";
  }
  if (memMB === undefined && cpuMs === undefined) return { value: undefined };
  return {
    value: {
      ...(memMB === undefined ? {} : { memMB }),
      ...(cpuMs === undefined ? {} : { cpuMs }),
    },
  };
}
