/**
 * Starting the load of `load.ts` in a process of its own.
 *
 * @module
 */

import type { Load } from "./load.ts";
import { type BenchServer, fileOf, TOKEN } from "./server_process.ts";

/** What is loaded how. */
export interface LoadOptions {
  /** The server. */
  readonly server: Pick<BenchServer, "port">;
  /** The tool that is called. */
  readonly tool: string;
  /** How many connections call at once. */
  readonly connections: number;
  /** For how long it is measured, in ms. */
  readonly ms: number;
  /** For how long it isn't measured before, in ms; a second when absent. */
  readonly warmUpMs?: number;
  /** The server's token; the one of all benches when absent. */
  readonly token?: string;
  /** Sends so many calls and measures nothing. */
  readonly calls?: number;
}

/** Runs a load and answers what it measured. */
export async function runLoad(options: LoadOptions): Promise<Load> {
  const { server, tool, connections, ms, calls } = options;
  const { warmUpMs = 1_000, token = TOKEN } = options;
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      fileOf("bench/load.ts"),
      ...[server.port, token, tool, connections, ms, warmUpMs].map(String),
      ...(calls === undefined ? [] : [String(calls)]),
    ],
  }).output();
  if (code !== 0) throw new Error(new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout));
}
