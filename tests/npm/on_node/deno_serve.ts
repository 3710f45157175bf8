/** `Deno.serve` on `node:http`. */

import { createAdaptorServer } from "@hono/node-server";
import type { AddressInfo } from "node:net";

/** A server that runs. */
export interface HttpServer {
  readonly addr: { readonly hostname: string; readonly port: number };
  shutdown(): Promise<void>;
}

/**
 * Serves on a free port at once. The port has to be known when this returns, which on Node only a server on every address
 * can say.
 */
export function serve(
  _options: unknown,
  handler: (request: Request) => Response | Promise<Response>,
): HttpServer {
  const server = createAdaptorServer({ fetch: handler });
  server.listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    addr: { hostname: "127.0.0.1", port },
    shutdown: () =>
      new Promise((resolve, reject) => {
        server.close((error) => error ? reject(error) : resolve());
        if ("closeIdleConnections" in server) server.closeIdleConnections();
      }),
  };
}
