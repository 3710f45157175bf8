import { denoLockOf, topPackages } from "../../pack_service/package_lock.ts";
import { assertEquals } from "../assert.ts";

function lockOf(packages: Readonly<Record<string, object>>) {
  return {
    lockfileVersion: 3,
    packages: Object.fromEntries(
      Object.entries(packages).map(([path, entry]) => [
        path === "" ? path : `node_modules/${path}`,
        path === ""
          ? entry
          : { version: "1.0.0", integrity: `sha512-${path}`, ...entry },
      ]),
    ),
  };
}

const npmOf = (
  lock: Readonly<Record<string, unknown>>,
  ...direct: string[]
) => denoLockOf(lock, direct)?.npm;

Deno.test("direct and transitive packages are pinned with version and integrity; what isn't reached is left out", () => {
  const lock = lockOf({
    "": { name: "pack" },
    "a": { dependencies: { b: "^1.0.0" } },
    "b": { version: "1.2.3", os: ["linux"], cpu: ["x64"] },
    "@scope/c": {},
    "test-only": { dev: true },
  });
  assertEquals(denoLockOf(lock, ["a", "@scope/c"]), {
    version: "5",
    specifiers: {
      "npm:a@1.0.0": "1.0.0",
      "npm:@scope/c@1.0.0": "1.0.0",
    },
    npm: {
      "@scope/c@1.0.0": { integrity: "sha512-@scope/c" },
      "a@1.0.0": { integrity: "sha512-a", dependencies: ["b@1.2.3"] },
      "b@1.2.3": { integrity: "sha512-b", os: ["linux"], cpu: ["x64"] },
    },
  });
});

Deno.test("a package finds the nearest version upwards, as Node does", () => {
  const lock = lockOf({
    "a": { dependencies: { b: "1", d: "1" } },
    "a/node_modules/b": { version: "1.0.1", dependencies: { d: "2" } },
    "a/node_modules/b/node_modules/d": { version: "2.0.0" },
    "b": { version: "3.0.0", dependencies: { d: "1" } },
    "d": { version: "1.0.9" },
  });
  const npm = npmOf(lock, "a", "b");
  assertEquals(npm?.["a@1.0.0"]?.dependencies, ["b@1.0.1", "d@1.0.9"]);
  assertEquals(npm?.["b@1.0.1"]?.dependencies, ["d@2.0.0"]);
  assertEquals(npm?.["b@3.0.0"]?.dependencies, ["d@1.0.9"]);
});

Deno.test("cycles end, aliases keep both names, and peers are dependencies where they are there", () => {
  const lock = lockOf({
    "a": {
      dependencies: { other: "npm:real@2" },
      peerDependencies: { p: "1", absent: "1" },
      peerDependenciesMeta: { absent: { optional: true } },
    },
    "other": { name: "real", version: "2.0.0", dependencies: { a: "1" } },
    "p": { peerDependencies: { a: "1" } },
  });
  const npm = npmOf(lock, "a");
  assertEquals(npm?.["a@1.0.0"]?.dependencies, [
    "other@npm:real@2.0.0",
    "p@1.0.0",
  ]);
  assertEquals(npm?.["real@2.0.0"]?.dependencies, ["a@1.0.0"]);
  assertEquals(topPackages(lock).get("other"), {
    name: "real",
    version: "2.0.0",
  });
});

Deno.test("an optional dependency may be missing, and a required one may not", () => {
  const lock = lockOf({
    "a": {
      dependencies: { x: "1" },
      optionalDependencies: { x: "1", y: "1" },
    },
    "y": {},
    "b": { dependencies: { z: "1" } },
  });
  assertEquals(npmOf(lock, "a")?.["a@1.0.0"], {
    integrity: "sha512-a",
    optionalDependencies: ["y@1.0.0"],
  });
  assertEquals(npmOf(lock, "b"), undefined);
});

Deno.test("what Deno can't tell apart or a registry doesn't have gives no lock", () => {
  assertEquals(
    npmOf(
      lockOf({
        "a/node_modules/c": { dependencies: { d: "1" } },
        "a/node_modules/d": { version: "2.0.0" },
        "a": { dependencies: { c: "1" } },
        "b": { dependencies: { c: "1" } },
        "c": { integrity: "sha512-a/node_modules/c", dependencies: { d: "1" } },
        "d": {},
      }),
      "a",
      "b",
    ),
    undefined,
  );
  for (
    const entry of [
      { link: true },
      { integrity: undefined },
      { version: undefined },
    ]
  ) assertEquals(npmOf(lockOf({ a: entry }), "a"), undefined);
  assertEquals(npmOf({ lockfileVersion: 1, dependencies: {} }, "a"), undefined);
  assertEquals(npmOf(lockOf({}), "a"), undefined);
});
