// What every peer serves: the echo of the fixture pack, with its schemas (`servers/schemas.ts` has the same for Deno).

export const INPUT_SCHEMA = {
  type: "object",
  properties: { message: { type: "string", minLength: 1 } },
  required: ["message"],
  additionalProperties: false,
};

export const OUTPUT_SCHEMA = {
  type: "object",
  properties: { echoed: { type: "string" }, runId: { type: "string" } },
  required: ["echoed"],
  additionalProperties: false,
};

export const echo = (input, ctx) => ({
  echoed: input.message,
  runId: ctx.runId,
});

/** Tells the bench that the server listens. */
export const listening = (port) => console.error(JSON.stringify({ port }));
