/**
 * Model providers that every tenant has.
 *
 * @module
 */

import {
  createProviderRegistry,
  type ModelProvider,
  type ProviderRegistry,
} from "../routing/mod.ts";

/**
 * Makes a registry in which every tenant has the same providers, and may have more of its own.
 *
 * @throws {TypeError} If a provider is invalid, or two have one id.
 */
export function providersForAll(
  providers: readonly ModelProvider[],
): ProviderRegistry {
  // Registered once for nobody, so that what is wrong is found now and not in a tenant's first turn.
  createProviderRegistry(
    providers.map((provider) => ({ tenantId: "", provider })),
  );
  return new SharedProviders(providers);
}

class SharedProviders implements ProviderRegistry {
  readonly #shared: ReadonlyMap<string, ModelProvider>;
  readonly #own = createProviderRegistry();

  constructor(providers: readonly ModelProvider[]) {
    this.#shared = new Map(
      providers.map((provider) => [provider.metadata.id, provider]),
    );
  }

  register(tenantId: string, provider: ModelProvider): void {
    const id = provider?.metadata?.id;
    if (this.#shared.has(id)) {
      throw new TypeError(
        `Cannot register provider ${id}: every tenant has one of this id; give it another`,
      );
    }
    this.#own.registry.register(tenantId, provider);
  }

  get(tenantId: string, providerId: string): ModelProvider | undefined {
    return this.#shared.get(providerId) ??
      this.#own.registry.get(tenantId, providerId);
  }

  list(tenantId: string): ModelProvider[] {
    return [...this.#shared.values(), ...this.#own.registry.list(tenantId)];
  }

  has(tenantId: string, providerId: string): boolean {
    return this.get(tenantId, providerId) !== undefined;
  }
}
