// The tool of the benches as an HTTP function; checking is the function's own, so Ajv does it as ours does.
import { getTestServer } from "@google-cloud/functions-framework/testing";
import { http } from "@google-cloud/functions-framework";
import { Ajv2020 } from "ajv/dist/2020.js";
import { echo, INPUT_SCHEMA, listening, OUTPUT_SCHEMA } from "./tool.mjs";

const ajv = new Ajv2020({ allErrors: true, useDefaults: true });
const fitsInput = ajv.compile(INPUT_SCHEMA);
const fitsOutput = ajv.compile(OUTPUT_SCHEMA);

http("invoke", ({ body }, response) => {
  if (!fitsInput(body.input)) return response.status(400).end();
  const output = echo(body.input, body.ctx);
  if (!fitsOutput(output)) return response.status(500).end();
  response.json({ v: 2, kind: "result", output });
});

const server = getTestServer("invoke");
server.listen(0, "127.0.0.1", () => listening(server.address().port));
