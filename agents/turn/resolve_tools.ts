/**
 * From the tools that an agent names to tools at exact versions.
 *
 * @module
 */

import { err, ok, type Result } from "../../base/result.ts";
import { type Agent, quoted, type ToolRef } from "../agent/mod.ts";
import type {
  TenantToolRegistry,
  Tool,
  ToolResolutionError,
  UnresolvedToolError,
} from "../tools/mod.ts";
import type { UnresolvableToolVersionError } from "./errors.ts";
import { pinnedVersion } from "./pinned_version.ts";

/** A tool of a turn. */
export interface TurnTool {
  /** The tool. */
  readonly tool: Tool;
  /** Its exact version. */
  readonly resolvedVersion: string;
  /** The range that the agent names. */
  readonly requestedRange: string;
}

type ToolError = UnresolvedToolError | UnresolvableToolVersionError;

/**
 * Resolves an agent's tools, by id, in its order.
 *
 * @param pinned For a resumed turn: the versions that it began with; one that is gone is an error, whatever the range says.
 */
export function resolveTools(
  agent: Agent,
  registry: TenantToolRegistry,
  pinned: Readonly<Record<string, string>> | undefined,
): Result<Map<string, TurnTool>, ToolError> {
  const tools = new Map<string, TurnTool>();
  for (const ref of agent.tools) {
    const pin = pinnedVersion(pinned, ref.id) ??
      pinnedVersion(agent.pins?.tools, ref.id);
    const found = pin === undefined
      ? resolveRange(ref, registry)
      : resolvePin(ref, pin, registry);
    if (found.kind === "err") return found;
    tools.set(ref.id, found.value);
  }
  return ok(tools);
}

function resolveRange(
  { id, version }: ToolRef,
  registry: TenantToolRegistry,
): Result<TurnTool, ToolError> {
  const resolved = registry.resolve(id, version);
  return resolved.kind === "ok"
    ? ok({ ...resolved.value, requestedRange: version })
    : err(resolutionError(resolved.error, version));
}

function resolvePin(
  { id, version }: ToolRef,
  pin: string,
  registry: TenantToolRegistry,
): Result<TurnTool, ToolError> {
  const tool = registry.getVersion(id, pin);
  if (tool !== undefined) {
    return ok({ tool, resolvedVersion: pin, requestedRange: version });
  }
  const availableVersions = registry.versions(id);
  return err(
    availableVersions.length === 0 ? unresolved(id) : {
      code: "tool-version-unresolvable",
      message: `Tool ${
        quoted(id)
      } is pinned to version ${pin}, which isn't registered; there are ${
        availableVersions.join(", ")
      }`,
      toolId: id,
      requestedRange: pin,
      availableVersions,
    },
  );
}

function resolutionError(
  error: ToolResolutionError,
  requestedRange: string,
): ToolError {
  const { toolId, message } = error;
  switch (error.code) {
    case "tool-not-found":
      return unresolved(toolId);
    case "invalid-version-range":
      return {
        code: "tool-version-unresolvable",
        message,
        toolId,
        requestedRange,
      };
    case "tool-version-unresolvable":
      return {
        code: "tool-version-unresolvable",
        message,
        toolId,
        requestedRange,
        availableVersions: error.availableVersions,
      };
  }
}

function unresolved(toolId: string): UnresolvedToolError {
  return {
    code: "unresolved-tool",
    message: `The agent's tool ${
      quoted(toolId)
    } isn't registered for the tenant: give the tool registry, or the runtime's tools, one of this id`,
    toolId,
  };
}
