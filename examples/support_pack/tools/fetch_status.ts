import { defineTool } from "@kindgi-deno/runtime/define";

export default defineTool<{ trackingUrl: string }, { parcel: string }>({
  id: "support.fetch_status",
  version: "1.0.0",
  description:
    "Asks the carrier where a parcel is, at an order's `trackingUrl`",
  mutating: false,
  effects: [{ kind: "network", resource: "carrier" }],
  // A model chooses the address, so it could be any. Hence a process of its own that reaches these hosts and no others.
  // 127.0.0.1 is where `deno task demo` has its carrier; leave it out of a pack that goes anywhere.
  sandbox: "strict",
  network: { kind: "allowlist", hosts: ["tracking.example.com", "127.0.0.1"] },
  limits: { memMB: 128, cpuMs: 2_000 },
  input: {
    type: "object",
    properties: {
      trackingUrl: { type: "string", format: "uri", pattern: "^https?://" },
    },
    required: ["trackingUrl"],
    additionalProperties: false,
  },
  output: {
    type: "object",
    properties: { parcel: { type: "string", maxLength: 500 } },
    required: ["parcel"],
    additionalProperties: false,
  },
  handler: async ({ trackingUrl }, { abortSignal }) => {
    const answer = await fetch(trackingUrl, { signal: abortSignal });
    if (!answer.ok) {
      throw new Error(`The carrier answered with status ${answer.status}`);
    }
    return { parcel: (await answer.text()).trim().slice(0, 500) };
  },
});
