/**
 * Rendering instructions in a worker process.
 *
 * @module
 */

import process from "node:process";
import {
  configureTenantInputBounds,
  prepareInstructions,
  renderInstructions,
} from "../../agents/instructions/mod.ts";
import { createWorkerTemplateRenderer } from "../../agents/instructions/worker_renderer.ts";
import { AGENT, CONTEXT } from "../instructions/template.ts";
import { processorMs } from "../process_time.ts";
import { type Measurement, workRatio } from "./measurement.ts";

const ROUNDS = 3;
const RENDERS = 800;

/** Rendering in a worker, beside rendering in process; the processor time is both processes'. */
export const RENDERING: Measurement = {
  figures: ["rendering"],
  async measure() {
    const prepared = prepareInstructions(AGENT, CONTEXT);
    if (!prepared.ok) throw new Error(prepared.error.message);
    const { template, scope } = prepared.value;
    configureTenantInputBounds({ renderBudget: { ms: 1_000_000_000 } });
    const worker = createWorkerTemplateRenderer({ workers: 1 });
    const inWorker = () => worker.render({ tenantId: "t-1", template, scope });
    try {
      await inWorker(); // starts it
      const rendering = await workRatio({
        own: { times: RENDERS, once: inWorker },
        reference: {
          times: RENDERS,
          once: () => renderInstructions(AGENT, CONTEXT),
        },
        rounds: ROUNDS,
        clock: () => processorMs(process.pid),
      });
      return { rendering };
    } finally {
      await worker.close();
    }
  },
};
