import {
  configureTenantInputBounds,
  resetTenantInputBounds,
  tenantInputBounds,
  type TenantInputBoundsSettings,
} from "../../../agents/instructions/mod.ts";
import {
  assertEquals,
  assertStringIncludes,
  assertThrows,
} from "../../assert.ts";

const DEFAULTS = {
  liquid: {
    parseLimit: 100_000,
    renderLimitMs: 1_000,
    memoryLimit: 10_000_000,
  },
  renderBudget: { ms: 10_000, windowMs: 60_000 },
};

Deno.test("the bounds have their documented defaults", () => {
  assertEquals(tenantInputBounds(), DEFAULTS);
});

Deno.test("given bounds replace the defaults one by one, and a second call starts from the defaults", () => {
  configureTenantInputBounds({ liquid: { parseLimit: 5 } });
  assertEquals(tenantInputBounds(), {
    ...DEFAULTS,
    liquid: { ...DEFAULTS.liquid, parseLimit: 5 },
  });
  configureTenantInputBounds({ renderBudget: { ms: 7 } });
  assertEquals(tenantInputBounds(), {
    ...DEFAULTS,
    renderBudget: { ...DEFAULTS.renderBudget, ms: 7 },
  });
  resetTenantInputBounds();
  assertEquals(tenantInputBounds(), DEFAULTS);
});

Deno.test("a bound that isn't a positive integer, or isn't one of ours, is refused by name and changes nothing", () => {
  const wrong: [unknown, string][] = [
    [{ liquid: { memoryLimit: 0 } }, "liquid.memoryLimit"],
    [{ liquid: { parseLimit: 1.5 } }, "liquid.parseLimit"],
    [{ liquid: { renderLimitMs: Infinity } }, "liquid.renderLimitMs"],
    [{ renderBudget: { ms: "10" } }, "renderBudget.ms"],
    [{ liquid: { parselimit: 1 } }, "liquid.parselimit"],
    [{ liquids: {} }, "liquids"],
  ];
  for (const [settings, name] of wrong) {
    const error = assertThrows(
      () => configureTenantInputBounds(settings as TenantInputBoundsSettings),
      RangeError,
    );
    assertStringIncludes(error.message, name);
    assertEquals(tenantInputBounds(), DEFAULTS);
  }
});
