/**
 * A turn's input: made fit as it enters, and rebuilt from what was kept of it (`spec/durability.md`, What a resume needs).
 *
 * @module
 */

import { mendedJson, mendedText } from "../../base/mended_text.ts";
import { isRecord } from "../../base/result.ts";
import { type Agent, shown } from "../agent/mod.ts";
import type {
  RunSnapshotRecord,
  RunSnapshotWriteInput,
} from "../conversation/mod.ts";
import type { RunStartedPayload } from "../flow/mod.ts";
import type { InvokeAgentInput } from "./types.ts";

/** Everything of a turn's input that is kept. */
export type TurnInput = Omit<
  InvokeAgentInput,
  "abortSignal" | "idempotencyKey" | "traceparent"
>;

/** What the run's journal keeps of the input beside what every run has. */
export interface TurnMetadata {
  /** The template's parameters. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** The structured input. */
  readonly input?: unknown;
  /** The end user. */
  readonly participantId?: string;
}

const TEXTS = ["tenantId", "conversationId", "userMessage"] as const;

/**
 * Holds what a caller gives to what a turn can't begin without.
 *
 * @throws {TypeError} Naming what is missing or isn't a text.
 */
export function checkTurnInput(input: Omit<InvokeAgentInput, "agent">): void {
  for (const field of TEXTS) {
    const given: unknown = input[field];
    if (typeof given === "string") continue;
    throw new TypeError(
      `Cannot start a turn: ${field} is ${shown(given)}, not a text`,
    );
  }
}

/** The input with its text mended (`spec/durability.md`, Bytes). */
export function readTurnInput(input: InvokeAgentInput): TurnInput {
  const { abortSignal: _, idempotencyKey: _key, traceparent: _trace, ...kept } =
    input;
  const { parameters, input: structured, userMessage } = kept;
  return {
    ...kept,
    userMessage: mendedText(userMessage),
    ...(parameters === undefined ? {} : {
      parameters: mendedJson(parameters).value as NonNullable<
        TurnInput["parameters"]
      >,
    }),
    ...(structured === undefined
      ? {}
      : { input: mendedJson(structured).value }),
  };
}

/** What the journal keeps of the input; `undefined` when there is nothing. */
export function turnMetadata(input: TurnInput): TurnMetadata | undefined {
  const { parameters, input: structured, participantId } = input;
  const metadata = {
    ...(parameters === undefined ? {} : { parameters }),
    ...(structured === undefined ? {} : { input: structured }),
    ...(participantId === undefined ? {} : { participantId }),
  };
  return Object.keys(metadata).length === 0 ? undefined : metadata;
}

/** The snapshot of a turn. */
export function snapshotOf(
  runId: string,
  input: TurnInput,
): RunSnapshotWriteInput {
  const { agent, dryRun, ...rest } = input;
  return {
    ...rest,
    runId,
    agentId: agent.id,
    agentVersion: agent.version,
    ...(dryRun === true ? { dryRun } : {}),
  };
}

/** What was kept of a turn's input: its snapshot's fields, wherever they were found. */
export type KeptTurnInput = Omit<RunSnapshotRecord, "createdAt">;

/** The same from a run's first entry; `undefined` when that is no turn's. */
export function keptInJournal(
  tenantId: string,
  runId: string,
  started: RunStartedPayload,
): KeptTurnInput | undefined {
  const { agent, input, projectId, orgId, principal, authz } = started;
  if (agent === undefined || typeof input !== "string") return undefined;
  const metadata = (isRecord(started.metadata) ? started.metadata : {}) as
    & TurnMetadata
    & Record<string, unknown>;
  return {
    runId,
    tenantId,
    projectId: projectId ?? "",
    agentId: agent.id,
    agentVersion: agent.version,
    conversationId: agent.conversationId,
    userMessage: input,
    dryRun: started.dryRun === true,
    ...(orgId === undefined ? {} : { orgId }),
    ...(principal === undefined ? {} : { principal }),
    ...(authz === undefined ? {} : { authz }),
    ...metadata,
  };
}

/** A turn's input from what was kept of it. */
export function inputFrom(
  kept: KeptTurnInput,
  agent: Agent,
  orgId: string | undefined,
): TurnInput {
  const {
    runId: _,
    agentId: _id,
    agentVersion: _version,
    dryRun,
    orgId: keptOrgId,
    parameters,
    ...rest
  } = kept;
  const { createdAt: _at, ...fields } = rest as typeof rest & {
    createdAt?: string;
  };
  const organisation = orgId ?? keptOrgId;
  return {
    ...fields,
    agent,
    ...(parameters === undefined
      ? {}
      : { parameters: parameters as NonNullable<TurnInput["parameters"]> }),
    ...(organisation === undefined ? {} : { orgId: organisation }),
    ...(dryRun ? { dryRun } : {}),
  };
}
