import { compileSchema } from "../../base/json_schema.ts";
import { assertEquals, okValue } from "../assert.ts";

Deno.test("two patterns of one schema that are said without the u flag are kept apart", () => {
  const check = okValue(compileSchema({
    type: "object",
    properties: {
      version: { type: "string", pattern: "^[0-9]+(\\.[0-9]+)+(-[a-z]+)*$" },
      id: { type: "string", pattern: "^[a-z-]+(\\.[a-z-]+)+$" },
    },
  }, "output"));
  assertEquals(check({ version: "1.0.0-rc", id: "acme.weights" }), []);
  assertEquals(
    check({ version: "acme.weights", id: "1.0.0" }).map((issue) =>
      issue.instancePath
    ),
    ["/version", "/id"],
  );
});
