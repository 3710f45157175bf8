/**
 * A renderer whose process starts with its first render.
 *
 * @module
 */

import type { TemplateRenderer } from "../instructions/mod.ts";

/** A renderer that has something to let go of. */
export interface ClosableRenderer extends TemplateRenderer {
  /** Ends its process, if it has one. */
  close(): Promise<void>;
}

/** Makes a renderer with one worker process, started by the first render. */
export function lazyRenderer(): ClosableRenderer {
  let closed = false;
  let starting: Promise<ClosableRenderer> | undefined;
  // Loaded here alone: a program that never renders elsewhere needs no module about processes.
  const start = async (): Promise<ClosableRenderer> => {
    const worker = await import("../instructions/worker_renderer.ts");
    return worker.createWorkerTemplateRenderer({ workers: 1 });
  };
  return {
    async render(request) {
      if (closed && starting === undefined) {
        throw new Error("Cannot render a template: the runtime was closed");
      }
      const renderer = await (starting ??= start());
      return await renderer.render(request);
    },
    async close() {
      closed = true;
      await (await starting)?.close();
    },
  };
}
