import { RollingMap } from "../../base/rolling_map.ts";
import { assert, assertEquals } from "../assert.ts";
import { DENO_ONLY } from "../runtime.ts";

Deno.test("values are kept by key, in the order in which their keys came", () => {
  const map = new RollingMap<string, number | undefined>();
  map.set("a", 1);
  map.set("b", 2);
  map.set("a", 3);
  map.set("c", undefined);
  assertEquals([map.size, map.values()], [3, [3, 2, undefined]]);
  assertEquals([map.get("a"), map.get("x")], [3, undefined]);
  assertEquals([map.has("c"), map.has("x")], [true, false]);
  assertEquals(map.delete("a"), 3);
  assertEquals(map.delete("a"), undefined);
  assertEquals([map.has("a"), map.size, map.values()], [
    false,
    2,
    [2, undefined],
  ]);
});

/** A program that lets values of 1 KiB roll through a map, and prints how much of them survived the frequent collections. */
const ROLLING = `
import { RollingMap } from ${
  JSON.stringify(new URL("../../base/rolling_map.ts", import.meta.url).href)
};
const map = new RollingMap();
let most = 0;
const before = Deno.memoryUsage().heapUsed;
for (let key = 0; key < 20_000; key++) {
  map.set(key, Array.from({ length: 128 }, () => key));
  map.delete(key - 8);
  // A full collection makes what is alive old.
  if (key === 1_000) gc();
  most = Math.max(most, Deno.memoryUsage().heapUsed - before);
}
console.log(most);
`;

Deno.test(
  "what was removed isn't kept alive by what was removed before it",
  DENO_ONLY,
  async () => {
    const file = await Deno.makeTempFile({ suffix: ".ts" });
    try {
      await Deno.writeTextFile(file, ROLLING);
      const { stdout } = await new Deno.Command(Deno.execPath(), {
        args: [
          "run",
          "-A",
          "--no-check",
          "--v8-flags=--expose-gc,--min-semi-space-size=1,--max-semi-space-size=1",
          file,
        ],
        stderr: "inherit",
      }).output();
      const mostBytes = Number(new TextDecoder().decode(stdout));
      assert(
        mostBytes > 0 && mostBytes < 4 * 1024 * 1024,
        `${mostBytes} bytes`,
      );
    } finally {
      await Deno.remove(file);
    }
  },
);
