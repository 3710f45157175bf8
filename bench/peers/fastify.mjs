// The tool of the benches in Fastify, whose own Ajv checks the body; the output is checked by Ajv too, as ours is.
import { Ajv2020 } from "ajv/dist/2020.js";
import fastify from "fastify";
import { echo, INPUT_SCHEMA, listening, OUTPUT_SCHEMA } from "./tool.mjs";

const fitsOutput = new Ajv2020({ allErrors: true }).compile(OUTPUT_SCHEMA);
const server = fastify({ bodyLimit: 10 * 1024 * 1024 });
server.post(
  "/v1/invoke",
  {
    schema: {
      body: {
        type: "object",
        properties: { input: INPUT_SCHEMA, ctx: { type: "object" } },
        required: ["input", "ctx"],
      },
    },
  },
  ({ body }, reply) => {
    const output = echo(body.input, body.ctx);
    if (!fitsOutput(output)) return reply.code(500).send();
    return reply.send({ v: 2, kind: "result", output });
  },
);
await server.listen({ host: "127.0.0.1", port: 0 });
listening(server.server.address().port);
