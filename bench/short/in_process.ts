/**
 * Calls of the pack service in process, without a socket.
 *
 * @module
 */

import { TOKEN } from "../server_process.ts";
import { bareAnswer } from "../servers/bare_answer.ts";
import { demoService } from "../servers/demo_service.ts";
import { TOOL } from "../servers/schemas.ts";
import { type Measurement, type Work, workRatio } from "./measurement.ts";

const ROUNDS = 15;
const CALLS = 1_500;

const BODY = JSON.stringify({
  v: 2,
  kind: "invoke",
  tool: { id: TOOL },
  input: { message: "hi" },
  ctx: { tenantId: "t-1", runId: "run-1" },
});

/** Calls of some handler, each of them a request and the reading of its answer. */
function callsOf(handle: (request: Request) => Promise<Response>): Work {
  return {
    times: CALLS,
    once: async () => {
      const response = await handle(
        new Request("http://localhost/v1/invoke", {
          method: "POST",
          headers: {
            "content-type": "application/json",
            "kindgi-pack-token": TOKEN,
          },
          body: BODY,
        }),
      );
      const text = await response.text();
      if (response.status !== 200) throw new Error(text);
    },
  };
}

/** The service's `handle`, beside the bare server's handler. */
export const IN_PROCESS: Measurement = {
  figures: ["in-process"],
  async measure() {
    const service = await demoService();
    const ratio = await workRatio({
      own: callsOf((request) => service.handle(request)),
      reference: callsOf(bareAnswer),
      rounds: ROUNDS,
    });
    await service.drain(0);
    return { "in-process": ratio };
  },
};
