/**
 * Tools by id and version, and which of them a tenant sees.
 *
 * @module
 */

import { err, isRecord, ok, type Result } from "../../base/result.ts";
import {
  compareVersions,
  pickVersion,
  quoted,
  sameVersion,
  shown,
  type ToolId,
} from "../agent/mod.ts";
import type {
  DuplicateToolVersionError,
  ToolResolutionError,
} from "./errors.ts";
import type { Tool } from "./tool.ts";

/** A reference that was resolved. */
export interface ResolvedTool {
  /** The tool. */
  readonly tool: Tool;
  /** Its exact version. */
  readonly resolvedVersion: string;
}

/** The tools that one tenant sees. */
export interface TenantToolRegistry {
  /**
   * Adds a tool for those who see this registry; keeps the object that it is given.
   *
   * @throws {TypeError} If it has no id, version or handler.
   */
  register(tool: Tool): Result<void, DuplicateToolVersionError>;
  /** The tool at its highest version, prereleases included. */
  get(id: string): Tool | undefined;
  /** The tool at exactly this version. */
  getVersion(id: string, version: string): Tool | undefined;
  /**
   * The tool at the highest version that satisfies an npm range.
   *
   * A prerelease counts only when the range names one of the same major, minor and patch. Versions that aren't semver
   * never satisfy a range.
   */
  resolve(id: string, range: string): Result<ResolvedTool, ToolResolutionError>;
  /** Whether there is a tool of this id. */
  has(id: string): boolean;
  /** Whether there is a tool of this id at exactly this version. */
  hasVersion(id: string, version: string): boolean;
  /** Every tool at every version, in the order they were added. */
  list(): Tool[];
  /** Every id once, in the order they were added. */
  ids(): ToolId[];
  /** The versions of a tool, highest first. */
  versions(id: string): string[];
}

/** Every tenant's tools: those for all, and those of each. */
export interface ToolRegistry extends TenantToolRegistry {
  /**
   * What one tenant sees: the tools for all, and its own. What is registered there, no other tenant sees.
   *
   * A turn resolves its tools on this, once, as it sets up.
   */
  forTenant(tenantId: string): TenantToolRegistry;
  /** For registries that load: forgets what is known of a tenant. */
  invalidate?(tenantId: string): void;
}

/**
 * Makes a tool registry in memory.
 *
 * Within what a tenant sees, an id and version mean one tool: neither the same version nor one that differs only in build
 * metadata is registered twice, in whatever order (`spec/decisions.md` 17).
 *
 * @param tools Tools for all tenants to start with.
 * @throws {TypeError} If two of them have one id and version, or one has no id, version or handler.
 */
export function createToolRegistry(tools: Iterable<Tool> = []): ToolRegistry {
  const shelves = new Shelves();
  for (const tool of tools) {
    const added = shelves.add(tool, undefined);
    if (added.kind === "err") throw new TypeError(added.error.message);
  }
  return new SharedToolRegistry(shelves);
}

/** A tool, and whose it is: `undefined` is everybody's. */
interface Shelved {
  readonly tool: Tool;
  readonly tenantId: string | undefined;
}

/** All tools of all tenants, in the order they were added, and by id. */
class Shelves {
  readonly #all: Shelved[] = [];
  readonly #byId = new Map<string, Shelved[]>();

  add(
    tool: Tool,
    tenantId: string | undefined,
  ): Result<void, DuplicateToolVersionError> {
    assertTool(tool);
    const shelf = this.#byId.get(tool.id) ?? [];
    const known = shelf.find((other) =>
      sameVersion(other.tool.version, tool.version) &&
      seesEachOther(other.tenantId, tenantId)
    );
    if (known !== undefined) return err(duplicate(tool, known.tool));
    const shelved = { tool, tenantId };
    this.#all.push(shelved);
    this.#byId.set(tool.id, [...shelf, shelved]);
    return ok(undefined);
  }

  /** What a tenant sees: of one id, or of all. */
  seenBy(tenantId: string | undefined, id?: string): Tool[] {
    const shelf = id === undefined ? this.#all : this.#byId.get(id) ?? [];
    return shelf
      .filter((shelved) =>
        shelved.tenantId === undefined || shelved.tenantId === tenantId
      )
      .map(({ tool }) => tool);
  }
}

/** Whether some tenant sees the tools of both. */
function seesEachOther(a: string | undefined, b: string | undefined): boolean {
  return a === undefined || b === undefined || a === b;
}

/** What one tenant sees of the shelves; `undefined` sees what is everybody's. */
class ToolView implements TenantToolRegistry {
  readonly #shelves: Shelves;
  readonly #tenantId: string | undefined;

  constructor(shelves: Shelves, tenantId: string | undefined) {
    this.#shelves = shelves;
    this.#tenantId = tenantId;
  }

  register(tool: Tool): Result<void, DuplicateToolVersionError> {
    return this.#shelves.add(tool, this.#tenantId);
  }

  get(id: string): Tool | undefined {
    const highest = this.versions(id)[0];
    return highest === undefined ? undefined : this.getVersion(id, highest);
  }

  getVersion(id: string, version: string): Tool | undefined {
    return this.#seen(id).find((tool) => tool.version === version);
  }

  resolve(
    id: string,
    range: string,
  ): Result<ResolvedTool, ToolResolutionError> {
    const versions = this.versions(id);
    if (versions.length === 0) return err(notFound(id));
    const picked = pickVersion(versions, range);
    if (picked.kind === "invalid-range") return err(invalidRange(id, range));
    const tool = picked.kind === "ok"
      ? this.getVersion(id, picked.value)
      : undefined;
    return tool === undefined
      ? err(unresolvable(id, range, versions))
      : ok({ tool, resolvedVersion: tool.version });
  }

  has(id: string): boolean {
    return this.#seen(id).length > 0;
  }

  hasVersion(id: string, version: string): boolean {
    return this.getVersion(id, version) !== undefined;
  }

  list(): Tool[] {
    return this.#shelves.seenBy(this.#tenantId);
  }

  ids(): ToolId[] {
    return [...new Set(this.list().map(({ id }) => id as ToolId))];
  }

  versions(id: string): string[] {
    return this.#seen(id).map((tool) => tool.version)
      .sort((a, b) => compareVersions(b, a));
  }

  #seen(id: string): Tool[] {
    return this.#shelves.seenBy(this.#tenantId, id);
  }
}

/** What is everybody's, and the way to what each tenant sees. */
class SharedToolRegistry extends ToolView implements ToolRegistry {
  readonly #shelves: Shelves;

  constructor(shelves: Shelves) {
    super(shelves, undefined);
    this.#shelves = shelves;
  }

  forTenant(tenantId: string): TenantToolRegistry {
    return new ToolView(this.#shelves, tenantId);
  }
}

/** Without these a tool can't be found, or can't be called once it is. */
function assertTool(tool: Tool): void {
  const given: Partial<Tool> | undefined = isRecord(tool) ? tool : undefined;
  const wrong = typeof given?.id !== "string"
    ? "its id is no text"
    : typeof given.version !== "string"
    ? "its version is no text such as 1.0.0"
    : typeof given.handler !== "function"
    ? "its handler is no function"
    : undefined;
  if (wrong === undefined) return;
  const { id = given } = given ?? {};
  throw new TypeError(
    `Cannot register tool ${shown(id)}: ${wrong}`,
  );
}

function duplicate(tool: Tool, known: Tool): DuplicateToolVersionError {
  const { id, version } = tool;
  const reason = version === known.version
    ? "it is registered already"
    : `it is the same version as ${quoted(known.version)}`;
  return {
    code: "duplicate-tool-version",
    message: `Cannot register tool ${quoted(id)} at version ${
      quoted(version)
    }: ${reason}; give it a new version`,
    toolId: id as ToolId,
    version,
  };
}

function notFound(id: string): ToolResolutionError {
  return {
    code: "tool-not-found",
    message: `No tool ${quoted(id)} is registered for the tenant`,
    toolId: id as ToolId,
  };
}

function invalidRange(id: string, range: string): ToolResolutionError {
  return {
    code: "invalid-version-range",
    message: `Cannot resolve tool ${quoted(id)} at ${
      quoted(range)
    }: that is not a version range such as ^1.2.0`,
    toolId: id as ToolId,
    requestedRange: range,
  };
}

function unresolvable(
  id: string,
  range: string,
  versions: readonly string[],
): ToolResolutionError {
  return {
    code: "tool-version-unresolvable",
    message: `Cannot resolve tool ${quoted(id)} at ${
      quoted(range)
    }: no version satisfies it; there are ${versions.join(", ")}`,
    toolId: id as ToolId,
    requestedRange: range,
    availableVersions: versions,
  };
}
