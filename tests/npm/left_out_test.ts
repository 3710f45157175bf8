/** The list of what isn't tested on Node: it says what is so, and where else it is tested. */
import { assert, assertEquals, assertStringIncludes } from "../assert.ts";
import { LEFT_OUT } from "./on_node/left_out.ts";
import { ROOT } from "./support/package_tarball.ts";

Deno.test("the README names everything that is left out on Node", async () => {
  const readme = (await Deno.readTextFile(`${ROOT}README.md`))
    .replaceAll(/\s+/g, " ");
  for (const { why } of LEFT_OUT) assertStringIncludes(readme, why);
});

Deno.test("what is left out on Node is there", async () => {
  for (const path of LEFT_OUT.flatMap(({ paths }) => paths)) {
    const { isDirectory } = await Deno.stat(`${ROOT}tests/${path}`);
    assert(isDirectory || path.endsWith("_test.ts"), path);
  }
});

Deno.test("the tests that drive the package's commands from Deno are the ones that the gate runs", async () => {
  const gates = await Deno.readTextFile(`${ROOT}.ci/run`);
  const gate = /^test_commands\(\) \{\n([\s\S]*?)^\}/m.exec(gates)?.[1] ?? "";
  const braces = /tests\/pack_service\/\{([a-z_,]+)\}_test\.ts/.exec(gate);
  const run = [
    ...gate.matchAll(/tests\/(indexer\/\w+_test\.ts)/g).map(([, file]) => file),
    ...braces![1]!.split(",").map((name) => `pack_service/${name}_test.ts`),
  ];
  const entry = LEFT_OUT.find(({ why }) => why.includes("commands"));
  assertEquals(run, [...entry!.paths]);
});
