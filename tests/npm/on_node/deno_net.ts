/** `Deno.serve` and `Deno.listen` on Node. */

import { createAdaptorServer } from "@hono/node-server";
import { type AddressInfo, createServer } from "node:net";

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
  return {
    addr: addressOf(server),
    shutdown: () =>
      new Promise((resolve, reject) => {
        server.close((error) => error ? reject(error) : resolve());
        if ("closeIdleConnections" in server) server.closeIdleConnections();
      }),
  };
}

/** A port that is taken. */
export interface Listener {
  readonly addr: { readonly hostname: string; readonly port: number };
  close(): void;
}

/** Takes a port, on every address for the same reason. */
export function listen({ port }: { readonly port: number }): Listener {
  const server = createServer();
  server.listen(port);
  return { addr: addressOf(server), close: () => void server.close() };
}

function addressOf(server: { address(): string | AddressInfo | null }) {
  const { port } = server.address() as AddressInfo;
  return { hostname: "127.0.0.1", port };
}
