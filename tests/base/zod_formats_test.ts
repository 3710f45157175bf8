import { z } from "zod";
import { compileSchema } from "../../base/json_schema.ts";
import { assertEquals, okValue } from "../assert.ts";

/** Texts that Zod checks under a `format` of its own name, each with one that fits and one that doesn't. */
const SCHEMAS = [
  [z.string().includes("b"), "abc", "xyz"],
  [z.string().startsWith("a"), "abc", "xyz"],
  [z.string().endsWith("c"), "abc", "xyz"],
  [z.string().lowercase(), "abc", "ABC"],
  [z.string().uppercase(), "ABC", "abc"],
  [z.hex(), "0aF", "xyz"],
  [z.nanoid(), "V1StGXR8_Z5jdHi6B-myT", "short"],
  [z.cuid(), "cjld2cjxh0000qzrmn831i7rn", "!"],
  [z.cuid2(), "tz4a98xxat96iws9zmbrgj3a", "A!"],
  [z.ulid(), "01ARZ3NDEKTSV4RRFFQ69G5FAV", "x"],
  [z.xid(), "9m4e2mr0ui3e8a215n4g", "x"],
  [z.ksuid(), "0ujtsYcgvSTl8PAuAdqWYSMnLOv", "x"],
  [z.base64(), "aGk=", "a!"],
  [z.base64url(), "aGk", "a!"],
  [z.emoji(), "😀", "a"],
  [z.e164(), "+4915112345678", "0151"],
  [z.cidrv4(), "10.0.0.0/8", "10.0.0.0"],
  [z.cidrv6(), "fe80::/10", "fe80::"],
  [z.mac(), "01:23:45:67:89:AB", "01:23"],
  [z.hash("sha256"), "a".repeat(64), "a"],
] as const;

Deno.test("what Zod writes for its own text formats compiles, and its pattern is what decides", () => {
  for (const [schema, fits, fails] of SCHEMAS) {
    const written = z.toJSONSchema(schema);
    const validate = okValue(compileSchema(written, "input"));
    assertEquals(validate(fits).length, 0, JSON.stringify(written));
    assertEquals(validate(fails)[0]?.keyword, "pattern");
  }
  // The one whose rule no pattern can say: only Zod itself checks it.
  okValue(compileSchema(z.toJSONSchema(z.jwt()), "input"));
});
