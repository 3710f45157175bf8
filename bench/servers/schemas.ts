/** The tool that every server of the benches runs: the echo of the fixture pack. */
export const TOOL = "demo.echo";

/** Its input. */
export const INPUT_SCHEMA = {
  type: "object",
  properties: { message: { type: "string", minLength: 1 } },
  required: ["message"],
  additionalProperties: false,
};

/** Its output. */
export const OUTPUT_SCHEMA = {
  type: "object",
  properties: { echoed: { type: "string" }, runId: { type: "string" } },
  required: ["echoed"],
  additionalProperties: false,
};
