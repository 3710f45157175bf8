/**
 * The bounds on what a tenant's template may cost.
 *
 * They are one setting for the whole process: a host sets them once as it starts, before it makes a worker renderer
 * (its workers keep the bounds that were set then).
 *
 * @module
 */

/** What one template may cost (`spec/agents_define.md` 6.1). */
export interface LiquidBounds {
  /** The longest template, in characters (UTF-16 units). Default 100 000. */
  readonly parseLimit: number;
  /** The longest render, parsing included, in milliseconds. Default 1 000. */
  readonly renderLimitMs: number;
  /**
   * What a render may make, in characters and list items: results of filters, ranges, captures and the output.
   * Default 10 000 000.
   */
  readonly memoryLimit: number;
}

/** What one tenant's renders may cost together, in a worker renderer. */
export interface RenderBudgetBounds {
  /** Worker time within the window, in milliseconds. Default 10 000. */
  readonly ms: number;
  /** The rolling window, in milliseconds. Default 60 000. */
  readonly windowMs: number;
}

/** Every bound on what tenants put in. */
export interface TenantInputBounds {
  /** Bounds on one template. */
  readonly liquid: LiquidBounds;
  /** Bounds on one tenant's renders together. */
  readonly renderBudget: RenderBudgetBounds;
}

/** Some of the bounds; the others keep their defaults. */
export interface TenantInputBoundsSettings {
  /** Bounds on one template. */
  readonly liquid?: Partial<LiquidBounds>;
  /** Bounds on one tenant's renders together. */
  readonly renderBudget?: Partial<RenderBudgetBounds>;
}

const DEFAULTS: TenantInputBounds = {
  liquid: {
    parseLimit: 100_000,
    renderLimitMs: 1_000,
    memoryLimit: 10_000_000,
  },
  renderBudget: { ms: 10_000, windowMs: 60_000 },
};

let current: TenantInputBounds = DEFAULTS;

/** The bounds in force. */
export function tenantInputBounds(): TenantInputBounds {
  return current;
}

/**
 * Sets this process's bounds: the given ones over the defaults. A second call replaces the first.
 *
 * @throws {RangeError} If a name is unknown or a value isn't a positive integer; nothing is changed then.
 */
export function configureTenantInputBounds(
  settings: TenantInputBoundsSettings,
): void {
  const merged = {
    liquid: merge("liquid", DEFAULTS.liquid, settings.liquid),
    renderBudget: merge(
      "renderBudget",
      DEFAULTS.renderBudget,
      settings.renderBudget,
    ),
  };
  for (const group of Object.keys(settings)) {
    if (!Object.hasOwn(DEFAULTS, group)) throw unknownBound(group);
  }
  current = merged;
}

/** Puts the default bounds back: for tests. */
export function resetTenantInputBounds(): void {
  current = DEFAULTS;
}

function merge<T extends object>(
  group: string,
  defaults: T,
  given: Partial<T> | undefined,
): T {
  const merged = { ...defaults } as Record<string, unknown>;
  for (const [name, value] of Object.entries(given ?? {})) {
    if (!Object.hasOwn(defaults, name)) throw unknownBound(`${group}.${name}`);
    if (value === undefined) continue;
    if (!Number.isSafeInteger(value) || (value as number) < 1) {
      throw new RangeError(
        `Can't set the bound ${group}.${name} to ${value}: it must be a positive integer`,
      );
    }
    merged[name] = value;
  }
  return merged as T;
}

function unknownBound(path: string): RangeError {
  return new RangeError(
    `Can't set the bound ${path}: the bounds are ${
      Object.entries(DEFAULTS).flatMap(([group, names]) =>
        Object.keys(names).map((name) => `${group}.${name}`)
      ).join(", ")
    }`,
  );
}
