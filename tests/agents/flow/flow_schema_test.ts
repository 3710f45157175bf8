import { Ajv2020 } from "ajv/dist/2020.js";
import { FLOW_SCHEMA } from "../../../agents/flow/mod.ts";
import { compileSchema } from "../../../base/json_schema.ts";
import { isRecord } from "../../../base/result.ts";
import { assert, assertEquals, okValue } from "../../assert.ts";
import {
  chain,
  fanout,
  foreachLoop,
  subgraph,
  tool,
  whileLoop,
} from "./flows.ts";

Deno.test("the JSON Schema of a flow compiles under Ajv's strict mode, and as a tool's schema does", () => {
  const ajv = new Ajv2020({ strict: true, allErrors: true });
  const fits = ajv.compile(FLOW_SCHEMA);
  const flow = chain([
    tool("a"),
    whileLoop("w"),
    foreachLoop("e"),
    fanout("f"),
    subgraph("s"),
  ]);
  assert(fits(flow), JSON.stringify(fits.errors));
  assert(!fits({ ...flow, extra: 1 }));
  okValue(compileSchema(FLOW_SCHEMA, "input"));
});

Deno.test("every object that the JSON Schema of a flow describes is closed, but for what isn't the flow's", () => {
  const open: string[] = [];
  const visit = (schema: unknown, path: string): void => {
    if (!isRecord(schema)) return;
    const { properties, additionalProperties, if: _, ...rest } = schema;
    if (isRecord(properties)) {
      if (additionalProperties !== false) open.push(path);
      for (const [key, item] of Object.entries(properties)) {
        visit(item, `${path}/${key}`);
      }
    }
    for (const [key, item] of Object.entries(rest)) {
      if (key === "$defs" && isRecord(item)) {
        for (const [name, definition] of Object.entries(item)) {
          visit(definition, name);
        }
      } else visit(item, `${path}/${key}`);
    }
  };
  visit(FLOW_SCHEMA, "");
  // A node is closed by the definition of its kind.
  assertEquals(open, ["node"]);
});

Deno.test("the JSON Schema of a flow is plain JSON and can't be changed", () => {
  assertEquals<unknown>(JSON.parse(JSON.stringify(FLOW_SCHEMA)), FLOW_SCHEMA);
  assert(Object.isFrozen(FLOW_SCHEMA));
});
