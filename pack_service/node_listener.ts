/**
 * The service as a `node:http` request listener.
 *
 * @module
 */

import type { NodeRequestListener } from "./service_types.ts";

/** Makes the listener over a function from request to response. */
export function nodeListener(
  handle: (request: Request) => Promise<Response>,
): NodeRequestListener {
  let listener: NodeRequestListener | undefined;
  return async (request, response) => {
    if (listener === undefined) {
      // Loaded when it is asked for: the front of a started service never needs it.
      const { getRequestListener } = await import("@hono/node-server");
      listener = getRequestListener(handle) as NodeRequestListener;
    }
    listener(request, response);
  };
}
