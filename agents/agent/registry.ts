/**
 * A catalogue of agents in memory.
 *
 * @module
 */

import { err, ok, type Result } from "../../base/result.ts";
import type {
  AgentAlreadyRegisteredError,
  AgentNotFoundError,
} from "./errors.ts";
import type { AgentId, Semver } from "./ids.ts";
import { quoted } from "./issues.ts";
import type { Agent } from "./types.ts";
import { compareVersions } from "./versions.ts";

/**
 * Agents by `(id, version)`. It knows no tenants: a host keeps one for each, or puts its own isolation on top.
 *
 * Versions are ordered by semver precedence: a release outranks its prereleases, and a prerelease of a higher version
 * outranks lower releases.
 */
export interface AgentRegistry {
  /** Adds an agent; keeps the object that it is given. */
  register(agent: Agent): Result<void, AgentAlreadyRegisteredError>;
  /** The agent at a version, or at its highest. */
  get(id: string, version?: string): Result<Agent, AgentNotFoundError>;
  /** The agent at its highest version. */
  getLatest(id: string): Result<Agent, AgentNotFoundError>;
  /** Every agent at every version, in the order they were added. */
  list(): Agent[];
  /** The versions of an agent, lowest first; empty when it is unknown. */
  listVersions(id: string): Semver[];
  /** Takes one version out; it can be registered again. */
  unregister(id: string, version: string): Result<void, AgentNotFoundError>;
}

/**
 * Makes an agent registry.
 *
 * @param seed Agents to start with; of several with one id and version the last is kept.
 */
export function createAgentRegistry(seed: Iterable<Agent> = []): AgentRegistry {
  return new MemoryAgentRegistry(seed);
}

class MemoryAgentRegistry implements AgentRegistry {
  readonly #agents = new Map<string, Agent>();

  constructor(seed: Iterable<Agent>) {
    for (const agent of seed) {
      this.#agents.set(keyOf(agent.id, agent.version), agent);
    }
  }

  register(agent: Agent): Result<void, AgentAlreadyRegisteredError> {
    const key = keyOf(agent.id, agent.version);
    if (this.#agents.has(key)) {
      return err({
        code: "agent-already-registered",
        message: `Cannot register agent ${quoted(agent.id)}: version ${
          quoted(agent.version)
        } is registered already; give it a new version, or unregister that one`,
        agentId: agent.id,
        version: agent.version,
      });
    }
    this.#agents.set(key, agent);
    return ok(undefined);
  }

  get(id: string, version?: string): Result<Agent, AgentNotFoundError> {
    if (version === undefined) return this.getLatest(id);
    const agent = this.#agents.get(keyOf(id, version));
    return agent ? ok(agent) : err(notFound(id, version));
  }

  getLatest(id: string): Result<Agent, AgentNotFoundError> {
    const latest = this.listVersions(id).at(-1);
    return latest === undefined ? err(notFound(id)) : this.get(id, latest);
  }

  list(): Agent[] {
    return [...this.#agents.values()];
  }

  listVersions(id: string): Semver[] {
    return this.list()
      .filter((agent) => agent.id === id)
      .map((agent) => agent.version)
      .sort(compareVersions);
  }

  unregister(id: string, version: string): Result<void, AgentNotFoundError> {
    return this.#agents.delete(keyOf(id, version))
      ? ok(undefined)
      : err(notFound(id, version));
  }
}

/** One text for both: unambiguous whatever the id holds. */
function keyOf(id: string, version: string): string {
  return JSON.stringify([id, version]);
}

function notFound(id: string, version?: string): AgentNotFoundError {
  return {
    code: "agent-not-found",
    message: `No agent ${quoted(id)} is registered${
      version === undefined ? "" : ` at version ${quoted(version)}`
    }: register it, or give it among the runtime's agents`,
    agentId: id as AgentId,
    ...(version === undefined ? {} : { version: version as Semver }),
  };
}
