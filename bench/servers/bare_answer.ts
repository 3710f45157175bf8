/** What anybody would write first: JSON, two Ajv validations. It has no token, deadline or record. */
import { Ajv2020 } from "ajv/dist/2020.js";
import { INPUT_SCHEMA, OUTPUT_SCHEMA } from "./schemas.ts";

const ajv = new Ajv2020({ allErrors: true, useDefaults: true });
const fitsInput = ajv.compile(INPUT_SCHEMA);
const fitsOutput = ajv.compile(OUTPUT_SCHEMA);

/** Answers a call. */
export async function bareAnswer(request: Request): Promise<Response> {
  const { input, ctx } = await request.json();
  if (!fitsInput(input)) return new Response("input", { status: 400 });
  const output = { echoed: input.message, runId: ctx.runId };
  if (!fitsOutput(output)) return new Response("output", { status: 500 });
  return new Response(JSON.stringify({ v: 2, kind: "result", output }), {
    headers: { "content-type": "application/json; charset=utf-8" },
  });
}
