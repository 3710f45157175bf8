/**
 * Listening for HTTP, on Deno and on Node.
 *
 * @module
 */

import { runtimeName } from "./platform_runtime.ts";

/** A listening HTTP server. */
export interface HttpListener {
  /** The port that is bound. */
  readonly port: number;
  /** The host that is bound, as an address. */
  readonly hostname: string;
  /**
   * Stops listening and ends every connection, answered or not. Answers that are on their way get up to `sendMs` (0) to
   * arrive first.
   */
  close(sendMs?: number): Promise<void>;
}

/** What {@link serveHttp} needs. */
export interface ServeOptions {
  /** Address to bind; without one every interface, IPv6 and IPv4, is bound. */
  readonly hostname?: string;
  /** Port to bind; 0 picks a free one. */
  readonly port: number;
  /** Answers one request; must not throw. */
  readonly handler: (request: Request) => Response | Promise<Response>;
}

/**
 * Opens an HTTP listener.
 *
 * Without a host it binds `::` with both address families, or `0.0.0.0` where there is no IPv6
 * (`spec/executors.md`, Host and port).
 *
 * @throws {Error} If the address can't be bound; the error's `code` or `name` says why (`EADDRINUSE`, `AddrInUse`).
 */
export async function serveHttp(options: ServeOptions): Promise<HttpListener> {
  if (options.hostname !== undefined) {
    return await bindHttp(options.hostname, options);
  }
  try {
    return await bindHttp("::", options);
  } catch (error) {
    if (isAddressInUse(error)) throw error;
    return await bindHttp("0.0.0.0", options);
  }
}

async function bindHttp(
  hostname: string,
  { port, handler }: ServeOptions,
): Promise<HttpListener> {
  if (runtimeName === "node") return await bindNode(hostname, port, handler);
  const abort = new AbortController();
  const sending = new Sending();
  const server = Deno.serve({
    hostname,
    port,
    signal: abort.signal,
    onListen: () => {},
  }, async (request, { completed }) => {
    const answer = await handler(request);
    sending.add(completed);
    return answer;
  });
  return {
    port: server.addr.port,
    hostname,
    close: async (sendMs = 0) => {
      await sending.wait(sendMs);
      abort.abort();
      await server.finished;
    },
  };
}

/** How long the last bytes of an answer take to leave for a caller who reads them, in ms. */
const LEAVING_MS = 250;

/** The answers that are on their way: ending their connections would cut them off. */
class Sending {
  #count = 0;
  #lastHandedOver = -Infinity;
  #wake = () => {};

  /** One more answer is on its way; `handedOver` settles when the platform has taken all of it. */
  add(handedOver: Promise<unknown>): void {
    this.#count++;
    const done = () => {
      this.#count--;
      this.#lastHandedOver = performance.now();
      this.#wake();
    };
    handedOver.then(done, done);
  }

  /** Waits until all have left, but not for longer than `ms`. */
  async wait(ms: number): Promise<void> {
    const end = performance.now() + ms;
    for (;;) {
      const until = this.#count > 0
        ? end
        : Math.min(end, this.#lastHandedOver + LEAVING_MS);
      const left = until - performance.now();
      if (left <= 0) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }
}

/** The part of Node's response that says when it has been sent. */
interface NodeAnswer {
  once(event: "close", listener: () => void): unknown;
}

async function bindNode(
  hostname: string,
  port: number,
  handler: ServeOptions["handler"],
): Promise<HttpListener> {
  const { serve } = await import("@hono/node-server");
  const sending = new Sending();
  return await new Promise((resolve, reject) => {
    const server = serve(
      {
        fetch: async (
          request: Request,
          { outgoing }: { outgoing: NodeAnswer },
        ) => {
          const answer = await handler(request);
          sending.add(
            new Promise<void>((done) => outgoing.once("close", done)),
          );
          return answer;
        },
        hostname,
        port,
      },
      (info: { port: number }) =>
        resolve({
          port: info.port,
          hostname,
          close: async (sendMs = 0) => {
            await sending.wait(sendMs);
            await new Promise<void>((done) => {
              server.close(() => done());
              (server as { closeAllConnections?: () => void })
                .closeAllConnections?.();
            });
          },
        }),
    );
    server.once("error", reject);
  });
}

/** Whether an error of binding an address means that someone else has it. */
export function isAddressInUse(error: unknown): boolean {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return code === "EADDRINUSE" || name === "AddrInUse";
}
