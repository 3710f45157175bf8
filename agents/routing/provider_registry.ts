/**
 * The model providers of each tenant.
 *
 * @module
 */

import { err, isRecord, ok, type Result } from "../../base/result.ts";
import { quoted } from "../agent/mod.ts";
import type { DuplicateProviderError, InvalidProviderError } from "./errors.ts";
import type { ModelProvider } from "./model_provider.ts";
import { providerIssue } from "./provider_issue.ts";

/** Model providers by tenant and id: nothing of one tenant is seen by another. */
export interface ProviderRegistry {
  /**
   * Adds a provider for a tenant.
   *
   * @throws {TypeError} If it is invalid or its id is taken; the `register` next to the registry answers that instead.
   */
  register(tenantId: string, provider: ModelProvider): void;
  /** The tenant's provider of this id. */
  get(tenantId: string, providerId: string): ModelProvider | undefined;
  /** The tenant's providers, in the order they were added. */
  list(tenantId: string): ModelProvider[];
  /** Whether the tenant has a provider of this id. */
  has(tenantId: string, providerId: string): boolean;
  /** For registries that load: makes sure the tenant's providers are there. Awaited before each turn is routed. */
  hydrate?(tenantId: string): Promise<void>;
  /** For registries that load: forgets what is known of the tenant. */
  invalidate?(tenantId: string): void;
}

/** A provider to start with. */
export interface ProviderSeed {
  /** Whose it is. */
  readonly tenantId: string;
  /** The provider. */
  readonly provider: ModelProvider;
}

/** A registry, and the way to add to it that answers what is wrong. */
export interface ProviderRegistryHandle {
  /** What a turn routes over. */
  readonly registry: ProviderRegistry;
  /** Adds a provider for a tenant, or says why it can't. */
  register(
    tenantId: string,
    provider: ModelProvider,
  ): Result<void, InvalidProviderError | DuplicateProviderError>;
}

/**
 * Makes a provider registry in memory.
 *
 * @param seed Providers to start with.
 * @throws {TypeError} If one of them is invalid or its id is taken.
 */
export function createProviderRegistry(
  seed: Iterable<ProviderSeed> = [],
): ProviderRegistryHandle {
  const registry = new MemoryProviderRegistry();
  for (const { tenantId, provider } of seed) {
    registry.register(tenantId, provider);
  }
  return {
    registry,
    register: (tenantId, provider) => registry.add(tenantId, provider),
  };
}

class MemoryProviderRegistry implements ProviderRegistry {
  readonly #tenants = new Map<string, Map<string, ModelProvider>>();

  add(
    tenantId: string,
    provider: ModelProvider,
  ): Result<void, InvalidProviderError | DuplicateProviderError> {
    const issue = providerIssue(provider);
    if (issue !== undefined) {
      const { reason, message } = issue;
      return err({
        code: "invalid-provider",
        message: `Cannot register provider ${named(provider)}: ${message}`,
        reason,
      });
    }
    const { id } = provider.metadata;
    if (this.has(tenantId, id)) {
      return err({
        code: "duplicate-provider",
        message: `Cannot register provider ${
          quoted(id)
        }: the tenant has one of this id; give it another`,
        providerId: id,
      });
    }
    const providers = this.#tenants.get(tenantId) ?? new Map();
    this.#tenants.set(tenantId, providers.set(id, provider));
    return ok(undefined);
  }

  register(tenantId: string, provider: ModelProvider): void {
    const added = this.add(tenantId, provider);
    if (added.kind === "err") throw new TypeError(added.error.message);
  }

  get(tenantId: string, providerId: string): ModelProvider | undefined {
    return this.#tenants.get(tenantId)?.get(providerId);
  }

  list(tenantId: string): ModelProvider[] {
    return [...this.#tenants.get(tenantId)?.values() ?? []];
  }

  has(tenantId: string, providerId: string): boolean {
    return this.get(tenantId, providerId) !== undefined;
  }
}

function named(provider: unknown): string {
  const metadata = isRecord(provider) ? provider.metadata : undefined;
  const id = isRecord(metadata) ? metadata.id : undefined;
  return typeof id === "string" ? quoted(id) : "without an id";
}
