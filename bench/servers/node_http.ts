/** The same tool on Node: `node:http` and Ajv. Bundled, then run by `node`. */
import { createServer } from "node:http";
import process from "node:process";
import { Ajv2020 } from "ajv/dist/2020.js";
import { INPUT_SCHEMA, OUTPUT_SCHEMA } from "./schemas.ts";

const ajv = new Ajv2020({ allErrors: true, useDefaults: true });
const fitsInput = ajv.compile(INPUT_SCHEMA);
const fitsOutput = ajv.compile(OUTPUT_SCHEMA);

const server = createServer((request, response) => {
  let text = "";
  request.setEncoding("utf8");
  request.on("data", (chunk: string) => text += chunk);
  request.on("end", () => {
    const { input, ctx } = JSON.parse(text);
    if (!fitsInput(input)) return response.writeHead(400).end();
    const output = { echoed: input.message, runId: ctx.runId };
    if (!fitsOutput(output)) return response.writeHead(500).end();
    const body = JSON.stringify({ v: 2, kind: "result", output });
    response.writeHead(200, {
      "content-type": "application/json; charset=utf-8",
      "content-length": String(body.length),
    }).end(body);
  });
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  process.stderr.write(`${JSON.stringify({ port })}\n`);
});
