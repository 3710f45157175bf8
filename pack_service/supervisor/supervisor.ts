/**
 * The supervisor: keeps one URL and token while the pack's code changes behind it (`spec/handler_runtime.md` 6).
 *
 * @module
 */

import { randomBytes } from "node:crypto";
import { setImmediate } from "node:timers";
import {
  type HttpListener,
  isUnsupportedSystem,
  serveHttp,
} from "../../base/platform.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { BootProblems } from "./child.ts";
import { Children, type ChildrenOptions } from "./children.ts";
import {
  type ServiceEvent,
  serviceEvent,
  type SupervisorEvent,
} from "./events.ts";
import { Timeouts } from "../timeouts.ts";
import { createFront } from "./front.ts";
import {
  type CallerSignal,
  createRelay,
  type PackServiceRelay,
  type RelayOutcome,
  type RelayRequest,
} from "./relay.ts";

export { serviceEvent };
export type {
  BootProblems,
  CallerSignal,
  PackServiceRelay,
  RelayOutcome,
  RelayRequest,
  ServiceEvent,
  SupervisorEvent,
};

/** What {@link createPackServiceSupervisor} needs. */
export interface PackServiceSupervisorOptions {
  /**
   * The child's program and arguments, to which `--index`, `--module-root` and `--host` are added; or a function that
   * gives them, called before every start, restarts included.
   */
  readonly command:
    | readonly string[]
    | (() => readonly string[] | Promise<readonly string[]>);
  /** The folder against which the index's module paths resolve. */
  readonly moduleRoot: string;
  /**
   * The child's environment, read at every start; names whose value is `undefined` are left out. The child gets exactly
   * this plus `KINDGI_PACK_SERVICE_TOKEN`, `PORT=0` and `KINDGI_LOG_FORMAT=json`.
   */
  readonly env: () =>
    | Readonly<Record<string, string | undefined>>
    | Promise<Readonly<Record<string, string | undefined>>>;
  /** The child's working folder; this process's when absent. */
  readonly cwd?: string;
  /** The address that the front listens on; `127.0.0.1` by default. */
  readonly host?: string;
  /** The port that the front listens on; 0, the default, picks a free one. */
  readonly port?: number;
  /** The token of the front and of every child; 24 random bytes by default. */
  readonly token?: string;
  /** Takes each line of the pack's own output. */
  readonly onLog?: (line: string, stream: "stdout" | "stderr") => void;
  /** Takes what happens to the children, and their records. */
  readonly onEvent?: (event: SupervisorEvent) => void;
  /** Longest wait for a child to listen, in milliseconds; 60 000 by default. */
  readonly bootTimeoutMs?: number;
  /** Time from SIGTERM to SIGKILL, in milliseconds; 10 000 by default: 8 000 to drain and 2 000 on top. */
  readonly stopGraceMs?: number;
  /** Attempts to bring back a child that ended unasked; 3 by default. */
  readonly maxRestarts?: number;
  /** Wait before each such attempt, in milliseconds; 500 by default. */
  readonly restartDelayMs?: number;
  /** Largest request body, in bytes; 10 MiB by default. */
  readonly maxBodyBytes?: number;
  /** How to wait for the next turn of the event loop; `setImmediate` by default. For tests. */
  readonly nextTurn?: (callback: () => void) => void;
}

/** A listening front. */
export interface SupervisorFront {
  /** `http://<host>:<port>`, without a slash at the end; an IPv6 host is in brackets. */
  readonly url: string;
  /** The port that is bound. */
  readonly port: number;
}

/** Runs a pack service as a child behind a front whose address never changes. */
export interface PackServiceSupervisor {
  /** What callers send as `kindgi-pack-token`. */
  readonly token: string;
  /** Carries calls to the child that serves, for a listener other than the front. */
  readonly relay: PackServiceRelay;
  /** Opens the front; called again it answers the same. Rejects when the port is taken. */
  listen(): Promise<SupervisorFront>;
  /**
   * Boots a child on an index and switches new calls to it; resolves with its port once the child before it is gone.
   *
   * When it doesn't boot, the one before goes on serving and the problems say why. A newer `start` ends one that
   * hasn't booted, whose only problem then is `superseded`.
   */
  start(
    indexPath: string,
  ): Promise<Result<{ readonly port: number }, BootProblems>>;
  /** Stops the child: it finishes the calls it has, the front answers 503. A later `start` works. */
  stop(): Promise<void>;
  /** From now on nothing is started or restarted, and a child's end is no longer news. */
  beginClose(): void;
  /** Stops the child, then closes the front and every connection to it. */
  close(): Promise<void>;
}

const TOKEN = /^[A-Za-z0-9_-]{32,}$/;

/**
 * Creates a supervisor; nothing runs or listens yet.
 *
 * Linux and macOS only: on Windows every `start` answers a problem that says so (`spec/executors.md`, Systems).
 *
 * @throws {TypeError} If a given token isn't at least 32 characters of `A–Z a–z 0–9 _ -`.
 */
export function createPackServiceSupervisor(
  options: PackServiceSupervisorOptions,
): PackServiceSupervisor {
  const token = options.token ?? randomBytes(24).toString("base64url");
  if (!TOKEN.test(token)) {
    throw new TypeError(
      "Cannot create a supervisor: the token must be at least 32 characters of A-Z a-z 0-9 _ -",
    );
  }
  const children = new Children(childrenOptions(options, token));
  const relay = createRelay(token, () => children.serving);
  const { host = "127.0.0.1", port = 0, maxBodyBytes = 10_485_760 } = options;
  const timeouts = new Timeouts();
  let listening: Promise<HttpListener> | undefined;
  let closing: Promise<void> | undefined;

  const close = async (): Promise<void> => {
    children.beginClose();
    await children.stop();
    const listener = await listening?.catch(() => undefined);
    await listener?.close();
    timeouts.rest();
  };
  return {
    token,
    relay,
    listen: async () => {
      if (closing !== undefined) {
        throw new Error("Cannot listen: the supervisor has been closed");
      }
      listening ??= serveHttp({
        hostname: host,
        port,
        handler: createFront({ token, relay, maxBodyBytes, timeouts }),
      });
      try {
        const bound = (await listening).port;
        const authority = host.includes(":") ? `[${host}]` : host;
        return { url: `http://${authority}:${bound}`, port: bound };
      } catch (error) {
        listening = undefined;
        throw error;
      }
    },
    start: async (indexPath) => {
      if (isUnsupportedSystem()) return err({ problems: [UNSUPPORTED] });
      const started = await children.start(indexPath);
      return started.kind === "ok" ? ok({ port: started.value }) : started;
    },
    stop: () => children.stop(),
    beginClose: () => children.beginClose(),
    close: () => closing ??= close(),
  };
}

const UNSUPPORTED =
  "Cannot start a pack service: the supervisor needs process groups, which Windows lacks; use Linux, macOS or WSL";

function childrenOptions(
  options: PackServiceSupervisorOptions,
  token: string,
): ChildrenOptions {
  return {
    command: options.command,
    moduleRoot: options.moduleRoot,
    env: options.env,
    cwd: options.cwd,
    token,
    onLog: isolated(options.onLog),
    onEvent: isolated(options.onEvent),
    bootTimeoutMs: options.bootTimeoutMs ?? 60_000,
    stopGraceMs: options.stopGraceMs ?? 10_000,
    maxRestarts: options.maxRestarts ?? 3,
    restartDelayMs: options.restartDelayMs ?? 500,
    nextTurn: options.nextTurn ?? ((callback) => void setImmediate(callback)),
  };
}

/** A listener of the owner's whose own fault surfaces as an uncaught error instead of stopping the supervisor half-way. */
function isolated<Arguments extends unknown[]>(
  listener: ((...args: Arguments) => void) | undefined,
): (...args: Arguments) => void {
  return (...args) => {
    try {
      listener?.(...args);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  };
}
