import fc from "fast-check";
import { fileUrlToPath, pathToFileUrl } from "../../base/file_url.ts";
import { assertEquals, assertThrows } from "../assert.ts";

Deno.test("a path survives the way to a file URL and back, whatever its names hold", () => {
  const name = fc.string({ unit: "grapheme", minLength: 1 })
    .filter((text) => !text.includes("/") && text !== "." && text !== "..");
  fc.assert(fc.property(fc.array(name), (names) => {
    const path = `/${names.join("/")}`;
    const url = pathToFileUrl(path);
    assertEquals(url.hash + url.search, "");
    assertEquals(fileUrlToPath(url), path);
  }));
});

Deno.test("characters that mean something in URLs are kept as part of the name", () => {
  assertEquals(
    pathToFileUrl("/pack #1 x/50%?.mjs").href,
    "file:///pack%20%231%20x/50%25%3F.mjs",
  );
  assertEquals(fileUrlToPath("file:///a%20b/c.ts"), "/a b/c.ts");
});

Deno.test("only file URLs have a path", () => {
  assertThrows(() => fileUrlToPath("https://example.com/a.ts"), TypeError);
});
