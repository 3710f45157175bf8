/**
 * The benches, each a script of its own beside this file.
 *
 * @module
 */

/** A bench. */
export interface Bench {
  /** What it measures. */
  readonly what: string;
  /** The arguments that it takes behind its name; none when absent. */
  readonly takes?: string;
}

/** The benches by name, in the order in which all of them run. */
export const BENCHES: Readonly<Record<string, Bench>> = {
  calls: { what: "calls per second and latency beside a bare server" },
  peers: {
    what: "calls beside Fastify, the MCP SDK and others (installed by npm)",
  },
  start: { what: "process start until a service of 10 or 1 000 tools listens" },
  memory: {
    what: "idle memory, and growth over 100 000 calls",
    takes: "[--calls=N]",
  },
  supervisor: {
    what: "calls through the supervisor, and swaps under load",
    takes: "[SWAPS]",
  },
  indexer: { what: "indexing beside importing" },
  instructions: { what: "rendering in workers beside rendering in process" },
  turns: {
    what: "turns of an agent beside other loops (installed by npm)",
    takes: "[FOLDER that has them]",
  },
  stores: {
    what: "a turn on each store, and many conversations on Postgres",
  },
  growth: {
    what: "how costs grow with tools, messages and a journal's entries",
    takes: "[tools | agent | conversation | journal]",
  },
  workers: { what: "200 conversations finished by workers that are killed" },
};
