/**
 * What the command line of `deno task chat` asks for.
 *
 * @module
 */
import { resolve } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import type { Agent, Decider } from "../../agents/mod.ts";
import {
  MODEL_OPTIONS,
  type ModelChoice,
  readModelChoice,
} from "../support/model_choice.ts";
import type { PackPlace } from "../support/opened_pack.ts";
import {
  readStorePlace,
  STORE_VAR,
  type StorePlace,
} from "../support/store_place.ts";
import {
  DEFAULT_PROJECT,
  DEFAULT_TENANT,
  emptyFlag,
  isReviewerRole,
  roleProblem,
  userName,
  workingFolder,
} from "../support/whose.ts";

/** Whose conversation. */
export interface Whose {
  /** The tenant. */
  readonly tenantId: string;
  /** The project. */
  readonly projectId: string;
}

/** What a command line asks for. */
export interface ChatSettings {
  /** Which pack. */
  readonly pack: PackPlace;
  /** Which agent; the pack's only one when absent. */
  readonly agentId: string | undefined;
  /** Where the conversation is kept. */
  readonly store: StorePlace;
  /** Which models. */
  readonly model: ModelChoice;
  /** Which conversation: one by id, a new one, or the latest that is open. */
  readonly conversation: { readonly id: string } | "new" | "latest";
  /** Whose. */
  readonly whose: Whose;
  /** As whom approvals are decided. */
  readonly reviewer: Decider;
  /** Values of the instructions' parameters, as they were written. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** The flags whose values name something. */
const NAMES = [
  ...["pack-dir", "url", "agent", "conversation"],
  ...["tenant", "project", "reviewer"],
];

/** Reads a command line: settings, `"help"`, or what is wrong in one sentence. */
export function readChatSettings(
  argv: readonly string[],
): ChatSettings | string {
  let values;
  try {
    ({ values } = parseArgs({
      args: [...argv],
      options: {
        "pack-dir": { type: "string" },
        "url": { type: "string" },
        "agent": { type: "string" },
        "store": { type: "string" },
        "conversation": { type: "string" },
        "new": { type: "boolean" },
        "tenant": { type: "string", default: DEFAULT_TENANT },
        "project": { type: "string", default: DEFAULT_PROJECT },
        "role": { type: "string", default: "admin" },
        "reviewer": { type: "string" },
        "parameter": { type: "string", multiple: true },
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
  const empty = emptyFlag(values, NAMES);
  if (empty !== undefined) return empty;
  const folder = workingFolder();
  const store = readStorePlace(
    values.store ?? (process.env[STORE_VAR] || "memory"),
    folder,
  );
  if (typeof store === "string") return store;
  const model = readModelChoice(values, folder);
  if (typeof model === "string") return model;
  if (!isReviewerRole(values.role)) return roleProblem(values.role);
  if (values.conversation !== undefined && values.new) {
    return "give either --conversation or --new";
  }
  const parameters = readParameters(values.parameter ?? []);
  if (typeof parameters === "string") return parameters;
  return {
    pack: { packDir: resolve(folder, values["pack-dir"]), url: values.url },
    agentId: values.agent,
    store,
    model,
    conversation: values.conversation !== undefined
      ? { id: values.conversation }
      : values.new
      ? "new"
      : "latest",
    whose: { tenantId: values.tenant, projectId: values.project },
    reviewer: { id: values.reviewer ?? userName(), role: values.role },
    parameters,
  };
}

function readParameters(
  given: readonly string[],
): ReadonlyMap<string, string> | string {
  const parameters = new Map<string, string>();
  for (const text of given) {
    const at = text.indexOf("=");
    if (at < 1) return `--parameter ${text} is no NAME=VALUE`;
    parameters.set(text.slice(0, at), text.slice(at + 1));
  }
  return parameters;
}

/** The parameters' values in the types that the agent declares; a text says which one doesn't fit. */
export function typedParameters(
  { id, parameters = [] }: Agent,
  given: ReadonlyMap<string, string>,
): Record<string, string | number | boolean> | string {
  const typed: Record<string, string | number | boolean> = {};
  for (const [name, text] of given) {
    const declared = parameters.find((parameter) => parameter.name === name);
    if (declared === undefined) {
      return `agent ${id} has no parameter ${name}; it has ${
        parameters.map((parameter) => parameter.name).join(", ") || "none"
      }`;
    }
    const value = typedValue(declared.type, text);
    if (value === undefined) {
      return `parameter ${name} is a ${declared.type}, and ${
        JSON.stringify(text)
      } is none`;
    }
    typed[name] = value;
  }
  return typed;
}

function typedValue(
  type: string,
  text: string,
): string | number | boolean | undefined {
  if (type === "number") {
    const value = Number(text);
    return text.trim() !== "" && Number.isFinite(value) ? value : undefined;
  }
  if (type !== "boolean") return text;
  return text === "true" ? true : text === "false" ? false : undefined;
}
