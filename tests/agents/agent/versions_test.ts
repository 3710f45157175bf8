import fc from "fast-check";
import semver from "semver";
import {
  compareVersions,
  createToolRegistry,
  pickVersion,
  type Tool,
} from "../../../agents/mod.ts";
import { assert, assertEquals, errValue, okValue } from "../../assert.ts";
import { tool } from "../examples.ts";

function toolsAt(versions: readonly string[]): Tool[] {
  return versions.map((version) => tool("acme.t", version));
}

const MEASURED = [
  "1.0.0",
  "1.2.0",
  "1.2.5",
  "1.3.0-beta.1",
  "2.0.0-rc.1",
  "1.10.0",
  "bogus",
];

for (
  const [range, picked] of [
    ["^1.0.0", "1.10.0"],
    ["~1.2.0", "1.2.5"],
    [">=1.0.0 <1.3.0", "1.2.5"],
    ["^1.3.0-beta.0", "1.10.0"],
    [">=2.0.0-rc.0", "2.0.0-rc.1"],
    ["", "1.10.0"],
    ["*", "1.10.0"],
    ["v1.2.0", "1.2.0"],
    [undefined, "2.0.0-rc.1"],
  ] as const
) {
  Deno.test(`the range ${JSON.stringify(range)} picks ${picked}, whatever the order of the versions`, () => {
    fc.assert(
      fc.property(shuffled(MEASURED), (available) => {
        assertEquals(pickVersion(available, range), {
          kind: "ok",
          value: picked,
        });
      }),
      { numRuns: 30 },
    );
  });
}

for (
  const [range, versions, picked] of [
    ["^1.0.0", undefined, "1.10.0"],
    ["~1.2.0", undefined, "1.2.5"],
    ["1.2.0", undefined, "1.2.0"],
    [">=1.0.0 <1.3.0", undefined, "1.2.5"],
    ["^1.0.0", ["1.0.0", "bogus"], "1.0.0"],
  ] as const
) {
  Deno.test(`[93] a tool at ${range} resolves to ${picked}`, () => {
    const registry = createToolRegistry(
      toolsAt(versions ?? ["1.0.0", "1.2.0", "1.2.5", "1.10.0", "2.0.0"]),
    );
    const resolved = okValue(registry.resolve("acme.t", range));
    assertEquals(resolved.resolvedVersion, picked);
    assertEquals(resolved.tool.version, picked);
  });
}

Deno.test("[95] a tag is no range, a range that nothing satisfies says so, and what is no version changes nothing", () => {
  assertEquals(pickVersion(["1.0.0"], "latest"), { kind: "invalid-range" });
  assertEquals(pickVersion(["1.0.0"], "^3"), { kind: "not-satisfiable" });
  assertEquals(pickVersion(["bogus"]), { kind: "not-satisfiable" });
  for (const range of ["latest", "^3", "^1", undefined]) {
    assertEquals(
      pickVersion(["1.0.0", "bogus"], range),
      pickVersion(["1.0.0"], range),
    );
  }
  const registry = createToolRegistry(toolsAt(["1.0.0"]));
  assertEquals(
    errValue(registry.resolve("acme.t", "latest")).code,
    "invalid-version-range",
  );
});

Deno.test("[trap 28] * doesn't pick a prerelease, and the error lists what there is", () => {
  const registry = createToolRegistry(toolsAt(["1.0.0-beta.1"]));
  const error = errValue(registry.resolve("acme.t", "*"));
  assert(error.code === "tool-version-unresolvable");
  assertEquals(error.availableVersions, ["1.0.0-beta.1"]);
  assertEquals(error.requestedRange, "*");
});

for (
  const range of ["1.2.x.4", "1.2.3.4", "1.x.x.x", ">1.x.2", "1.x || latest"]
) {
  Deno.test(`[trap 29] ${range} is no range`, () => {
    const registry = createToolRegistry(toolsAt(["1.2.3"]));
    const error = errValue(registry.resolve("acme.t", range));
    assertEquals(error.code, "invalid-version-range");
    assertEquals(pickVersion(["1.2.3"], range), { kind: "invalid-range" });
  });
}

Deno.test("a range over 256 characters is refused, one of 256 is read", () => {
  const padded = (length: number) => "^1.0.0".padEnd(length);
  assertEquals(pickVersion(["1.0.0"], padded(256)).kind, "ok");
  assertEquals(pickVersion(["1.0.0"], padded(257)).kind, "invalid-range");
});

const version = fc.tuple(
  fc.nat({ max: 3 }),
  fc.nat({ max: 3 }),
  fc.nat({ max: 3 }),
  fc.constantFrom("", "", "-rc.1", "-rc.2", "-rc.10", "-beta"),
).map(([major, minor, patch, pre]) => `${major}.${minor}.${patch}${pre}`);

const range = fc.oneof(
  fc.tuple(fc.constantFrom("", "^", "~", ">=", "<", "<=", ">"), version)
    .map(([op, at]) => op + at),
  fc.tuple(version, version).map(([from, to]) => `>=${from} <${to}`),
  fc.constantFrom("*", "", "1.x", "1 || 2", "1 - 2"),
);

Deno.test("what is picked satisfies the range, and nothing that does is higher", () => {
  fc.assert(
    fc.property(
      fc.array(version, { maxLength: 12 }),
      range,
      (available, range) => {
        const picked = pickVersion(available, range);
        const fitting = available.filter((at) => semver.satisfies(at, range));
        if (fitting.length === 0) {
          assertEquals(picked, { kind: "not-satisfiable" });
          return;
        }
        assert(picked.kind === "ok");
        assert(fitting.includes(picked.value));
        for (const other of fitting) {
          assert(semver.gte(picked.value, other));
        }
      },
    ),
    { numRuns: 500 },
  );
});

Deno.test("the order of the versions and repeated ones don't change what is picked", () => {
  const shuffledVersions = fc.array(version, { maxLength: 8 })
    .chain((versions) =>
      fc.tuple(fc.constant(versions), shuffled([...versions, ...versions]))
    );
  fc.assert(
    fc.property(shuffledVersions, range, ([versions, other], range) => {
      assertEquals(pickVersion(other, range), pickVersion(versions, range));
    }),
  );
});

Deno.test("more versions never lead to a lower pick", () => {
  fc.assert(
    fc.property(
      fc.array(version, { minLength: 1, maxLength: 8 }),
      version,
      range,
      (versions, another, range) => {
        const before = pickVersion(versions, range);
        const after = pickVersion([...versions, another], range);
        if (before.kind !== "ok") return;
        assert(after.kind === "ok");
        assert(compareVersions(after.value, before.value) >= 0);
      },
    ),
  );
});

Deno.test("versions have one order, even those that aren't any", () => {
  const anything = fc.oneof(
    version,
    fc.constantFrom("", "bogus", "01.0.0", "1.0.0+a", "1.0.0+b", "v1.0.0"),
    fc.constant(`${"9".repeat(30)}.0.0`),
    fc.string(),
  );
  fc.assert(
    fc.property(anything, anything, anything, (a, b, c) => {
      assertEquals(
        Math.sign(compareVersions(a, b)),
        -Math.sign(compareVersions(b, a)) + 0,
      );
      assertEquals(compareVersions(a, b) === 0, a === b);
      if (compareVersions(a, b) <= 0 && compareVersions(b, c) <= 0) {
        assert(compareVersions(a, c) <= 0);
      }
    }),
    { numRuns: 500 },
  );
});

function shuffled<T>(items: readonly T[]): fc.Arbitrary<T[]> {
  return fc.shuffledSubarray([...items], {
    minLength: items.length,
    maxLength: items.length,
  });
}
