/**
 * Calls of the pack service, directly and through the supervisor, at 16 connections.
 *
 * @module
 */

import { runLoad } from "../load_process.ts";
import { processorMs } from "../process_time.ts";
import { TOOL } from "../servers/schemas.ts";
import {
  type BenchServer,
  median,
  startScript,
  startService,
  SUPERVISED_TOKEN,
  TOKEN,
} from "../server_process.ts";
import type { Measurement } from "./measurement.ts";

const CONNECTIONS = 16;
const ROUNDS = 3;
const MEASURE_MS = 700;
const WARM_UP_MS = 200;
/** Before the first round: code gets compiled. */
const FIRST_WARM_UP_MS = 600;

const STARTS = {
  bare: () => startScript("bare.ts"),
  service: () => startService(),
  supervised: () => startScript("supervised.ts"),
};

type Name = keyof typeof STARTS;

/** What a server did in a round. */
interface Rates {
  readonly perSecond: number;
  readonly perProcessorMs: number;
}

/** Calls a second say what callers wait for; calls by processor time, what other work on the machine hardly changes. */
export const CALLS: Measurement = {
  figures: [
    "calls",
    "calls-processor",
    "supervisor",
    "supervisor-processor",
  ],
  async measure() {
    const servers: Partial<Record<Name, BenchServer>> = {};
    try {
      for (const name of Object.keys(STARTS) as Name[]) {
        servers[name] = await STARTS[name]();
      }
      return figuresOf(await roundsOf(servers as Record<Name, BenchServer>));
    } finally {
      for (const server of Object.values(servers)) await server.stop();
    }
  },
};

async function roundsOf(
  servers: Readonly<Record<Name, BenchServer>>,
): Promise<Record<Name, Rates>[]> {
  const each = async (warmUpMs: number) => {
    const rates: Partial<Record<Name, Rates>> = {};
    for (const name of Object.keys(servers) as Name[]) {
      const token = name === "supervised" ? SUPERVISED_TOKEN : TOKEN;
      rates[name] = await ratesOf(servers[name], token, warmUpMs);
    }
    return rates as Record<Name, Rates>;
  };
  await each(FIRST_WARM_UP_MS);
  const rounds: Record<Name, Rates>[] = [];
  while (rounds.length < ROUNDS) rounds.push(await each(WARM_UP_MS));
  return rounds;
}

async function ratesOf(
  server: BenchServer,
  token: string,
  warmUpMs: number,
): Promise<Rates> {
  const before = await processorMs(server.pid);
  const { callsPerSecond, answers } = await runLoad({
    ...{ server, token, warmUpMs },
    tool: TOOL,
    connections: CONNECTIONS,
    ms: MEASURE_MS,
  });
  const taken = await processorMs(server.pid) - before;
  return { perSecond: callsPerSecond, perProcessorMs: answers / taken };
}

function figuresOf(
  rounds: readonly Record<Name, Rates>[],
): Record<string, number> {
  const ratio = (own: Name, reference: Name, rate: keyof Rates) =>
    median(rounds.map((round) => round[own][rate] / round[reference][rate]));
  return {
    "calls": ratio("service", "bare", "perSecond"),
    "calls-processor": ratio("service", "bare", "perProcessorMs"),
    "supervisor": ratio("supervised", "service", "perSecond"),
    "supervisor-processor": ratio("supervised", "service", "perProcessorMs"),
  };
}
