/**
 * From the data blocks that an agent names to their contents at exact versions (`spec/durability.md`, Blocks).
 *
 * @module
 */

import { err, isRecord, ok, type Result } from "../../base/result.ts";
import {
  type Agent,
  type BlockDefinition,
  type BlockKind,
  type PromptBlockContent,
  quoted,
  reasonOf,
} from "../agent/mod.ts";
import type { BlockReader, BlockUnresolvableError } from "../blocks/mod.ts";
import { pinnedVersion } from "./pinned_version.ts";

/** A turn's data blocks. */
export interface TurnBlocks {
  /** The prompt block that holds the instructions; absent when the agent has its own. */
  readonly prompt?: PromptBlockContent;
  /** The values of the settings blocks, by id; absent when the agent names none. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** How the model is called. */
  readonly modelSettings: {
    /** How freely it writes. */
    readonly temperature?: number;
    /** The most tokens it writes. */
    readonly maxOutputTokens?: number;
  };
  /** The exact version of each block, by id. */
  readonly versions: Readonly<Record<string, string>>;
}

/** Resolves an agent's blocks. */
export async function resolveBlocks(
  tenantId: string,
  agent: Agent,
  reader: BlockReader | undefined,
  pinned: Readonly<Record<string, string>> | undefined,
): Promise<Result<TurnBlocks, BlockUnresolvableError>> {
  const versions: Record<string, string> = {};
  const resolve = async (
    id: string,
    range: string,
    kind: BlockKind,
  ): Promise<Result<BlockDefinition, BlockUnresolvableError>> => {
    const pins = kind === "prompt" ? agent.pins?.prompts : agent.pins?.settings;
    const exact = pinnedVersion(pinned, id) ?? pinnedVersion(pins, id) ?? range;
    const found = await read(reader, { tenantId, id, range: exact });
    if (found.kind === "err") return found;
    if (found.value.kind !== kind) {
      return err(unresolvable(id, exact, `it is no ${kind} block`));
    }
    versions[id] = found.value.version;
    return found;
  };

  let prompt: PromptBlockContent | undefined;
  if (typeof agent.instructions !== "string") {
    const { prompt: id, version } = agent.instructions;
    const block = await resolve(id, version, "prompt");
    if (block.kind === "err") return block;
    prompt = block.value.content as PromptBlockContent;
  }
  let settings: Record<string, unknown> | undefined;
  for (const { id, version } of agent.settings ?? []) {
    const block = await resolve(id, version, "settings");
    if (block.kind === "err") return block;
    settings = { ...settings, [id]: valuesOf(block.value) };
  }
  let modelSettings: TurnBlocks["modelSettings"] = {};
  if (agent.modelSettings !== undefined) {
    const { id, version } = agent.modelSettings;
    const block = await resolve(id, version, "settings");
    if (block.kind === "err") return block;
    modelSettings = readModelSettings(valuesOf(block.value));
  }
  return ok({
    ...(prompt === undefined ? {} : { prompt }),
    ...(settings === undefined ? {} : { settings }),
    modelSettings,
    versions,
  });
}

async function read(
  reader: BlockReader | undefined,
  request: Parameters<BlockReader["resolve"]>[0],
): Promise<Result<BlockDefinition, BlockUnresolvableError>> {
  const { id, range } = request;
  if (reader === undefined) {
    return err(unresolvable(id, range, "no blocks are bound"));
  }
  try {
    return await reader.resolve(request);
  } catch (thrown) {
    return err(unresolvable(id, range, reasonOf(thrown)));
  }
}

function unresolvable(
  blockId: string,
  requestedRange: string,
  reason: string,
): BlockUnresolvableError {
  return {
    code: "block-unresolvable",
    message: `Cannot resolve block ${quoted(blockId)} at ${
      quoted(requestedRange)
    }: ${reason}`,
    blockId,
    requestedRange,
  };
}

function valuesOf(block: BlockDefinition): unknown {
  return (block.content as { readonly values?: unknown }).values;
}

function readModelSettings(values: unknown): TurnBlocks["modelSettings"] {
  if (!isRecord(values)) return {};
  const { temperature, maxOutputTokens } = values;
  return {
    ...(typeof temperature === "number" ? { temperature } : {}),
    ...(typeof maxOutputTokens === "number" ? { maxOutputTokens } : {}),
  };
}
