/**
 * What the command line of `deno task worker` asks for.
 *
 * @module
 */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import {
  MODEL_OPTIONS,
  type ModelChoice,
  readModelChoice,
} from "../support/model_choice.ts";
import type { PackPlace } from "../support/opened_pack.ts";
import { readSharedPlace, type StorePlace } from "../support/store_place.ts";
import { emptyFlag, workingFolder } from "../support/whose.ts";

/** What a command line asks for. */
export interface WorkerSettings {
  /** Which pack. */
  readonly pack: PackPlace;
  /** Which store. */
  readonly store: StorePlace;
  /** Which models. */
  readonly model: ModelChoice;
  /** Milliseconds between two looks. */
  readonly pollMs: number;
  /** How many turns at once. */
  readonly concurrency: number;
  /** How long a worker that died keeps its turns, in milliseconds. */
  readonly leaseMs: number;
}

/** Reads a command line: settings, `"help"`, or what is wrong in one sentence. */
export function readWorkerSettings(
  argv: readonly string[],
): WorkerSettings | string {
  let values;
  try {
    ({ values } = parseArgs({
      args: [...argv],
      options: {
        "pack-dir": { type: "string" },
        "url": { type: "string" },
        "store": { type: "string" },
        "poll-ms": { type: "string", default: "1000" },
        "concurrency": { type: "string", default: "4" },
        "lease-ms": { type: "string", default: "30000" },
        ...MODEL_OPTIONS,
        "help": { type: "boolean", short: "h" },
      },
    }));
  } catch (error) {
    return (error as Error).message;
  }
  if (values.help) return "help";
  if (values["pack-dir"] === undefined) {
    return "--pack-dir is missing: name the pack's folder";
  }
  const empty = emptyFlag(values, ["pack-dir", "url"]);
  if (empty !== undefined) return empty;
  const folder = workingFolder();
  const store = readSharedPlace(values.store, folder);
  if (typeof store === "string") return store;
  const model = readModelChoice(values, folder);
  if (typeof model === "string") return model;
  const numbers = {
    pollMs: wholeNumber(values["poll-ms"], 1, 3_600_000),
    concurrency: wholeNumber(values.concurrency, 1, 1_000),
    leaseMs: wholeNumber(values["lease-ms"], 100, 3_600_000),
  };
  if (numbers.pollMs === undefined) {
    return problem("--poll-ms", "1 to 3600000", values["poll-ms"]);
  }
  if (numbers.concurrency === undefined) {
    return problem("--concurrency", "1 to 1000", values.concurrency);
  }
  if (numbers.leaseMs === undefined) {
    return problem("--lease-ms", "100 to 3600000", values["lease-ms"]);
  }
  return {
    pack: { packDir: resolve(folder, values["pack-dir"]), url: values.url },
    store,
    model,
    pollMs: numbers.pollMs,
    concurrency: numbers.concurrency,
    leaseMs: numbers.leaseMs,
  };
}

function wholeNumber(
  text: string,
  least: number,
  most: number,
): number | undefined {
  const value = /^[0-9]{1,9}$/.test(text) ? Number(text) : NaN;
  return value >= least && value <= most ? value : undefined;
}

function problem(flag: string, range: string, got: string): string {
  return `${flag} must be a whole number from ${range}, got ${
    JSON.stringify(got)
  }`;
}
