/** `Deno.serve`, `Deno.listen` and `Deno.connect` on Node. */

import { Deno as shim } from "@deno/shim-deno";
import { createAdaptorServer } from "@hono/node-server";
import { once } from "node:events";
import {
  type AddressInfo,
  connect as connectSocket,
  createServer,
  type Socket,
} from "node:net";

const { errors } = shim;

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

/** A connection that is read by hand. */
export class Connection {
  readonly #socket: Socket;
  #received: Uint8Array = new Uint8Array();
  #failure: Error | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("error", (error) => this.#failure = error);
  }

  /** Reads what has arrived, as much as fits; `null` at the end. */
  async read(buffer: Uint8Array): Promise<number | null> {
    while (this.#received.length === 0) {
      const chunk: Uint8Array | null = this.#socket.read();
      if (chunk !== null) this.#received = chunk;
      else if (this.#failure !== undefined) throw mapError(this.#failure);
      else if (this.#socket.readableEnded || this.#socket.destroyed) {
        return null;
      } else await this.#change();
    }
    const taken = this.#received.subarray(0, buffer.length);
    buffer.set(taken);
    this.#received = this.#received.subarray(taken.length);
    return taken.length;
  }

  write(bytes: Uint8Array): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#socket.write(
        bytes,
        (error) => error ? reject(mapError(error)) : resolve(bytes.length),
      );
    });
  }

  closeWrite(): Promise<void> {
    return new Promise((resolve) => this.#socket.end(resolve));
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Waits until there is more to read, or never will be. */
  async #change(): Promise<void> {
    const waiting = new AbortController();
    const { signal } = waiting;
    await Promise.race(
      ["readable", "end", "close"].map((event) =>
        once(this.#socket, event, { signal })
      ),
    ).catch(() => {});
    waiting.abort();
  }
}

/** Connects to a port. */
export async function connect(
  { hostname, port }: { readonly hostname: string; readonly port: number },
): Promise<Connection> {
  const socket = connectSocket({ host: hostname, port, allowHalfOpen: true });
  await once(socket, "connect");
  return new Connection(socket);
}

/** An error of a socket as Deno names it. */
function mapError(error: Error): Error {
  const { code } = error as { code?: unknown };
  return code === "ECONNRESET"
    ? new errors.ConnectionReset(error.message)
    : error;
}

function addressOf(server: { address(): string | AddressInfo | null }) {
  const { port } = server.address() as AddressInfo;
  return { hostname: "127.0.0.1", port };
}
