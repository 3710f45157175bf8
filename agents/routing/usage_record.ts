/**
 * The account of model calls: one record for each, written before its answer counts (`spec/agents_turn.md` 4.1).
 *
 * @module
 */

import { err, ok, type Result } from "../../base/result.ts";
import { type PersistenceError, reasonOf } from "../agent/mod.ts";
import type { ModelCallResult } from "./model_provider.ts";

/** One model call, answered or failed. */
export interface ModelUsageRecord {
  /** The call; a second record of it changes nothing. */
  readonly callId: string;
  /** Who pays. */
  readonly tenantId: string;
  /** The project. */
  readonly projectId?: string;
  /** The turn's run. */
  readonly runId: string;
  /** The agent. */
  readonly agentId?: string;
  /** The agent's version. */
  readonly agentVersion?: string;
  /** The conversation. */
  readonly conversationId?: string;
  /** The node that called. */
  readonly nodeId?: string;
  /** Which model call of the turn, from 1. */
  readonly step?: number;
  /** The provider that was called. */
  readonly providerId: string;
  /** Its model. */
  readonly model: string;
  /** Whether it is a fallback provider; absent when it isn't. */
  readonly fallback?: true;
  /** When the call began, as ISO 8601. */
  readonly occurredAt: string;
  /** Whether it was answered. */
  readonly status: "ok" | "failed";
  /** For an answered call: everything that was answered but the message. */
  readonly result?: Omit<ModelCallResult, "message">;
  /** For a failed call: why. */
  readonly error?: {
    /** What the provider said. */
    readonly message: string;
    /** How many attempts it took, where the provider tells. */
    readonly attempts?: number;
  };
  /** Milliseconds. */
  readonly durationMs: number;
  /** What the call was for, when not the turn's answer: `guardrail-judge:<id>`. */
  readonly purpose?: string;
}

/** Keeps the account of model calls. */
export interface ModelUsageSink {
  /** Keeps a record; idempotent on `callId`. */
  record(
    record: ModelUsageRecord,
  ):
    | Result<void, PersistenceError>
    | void
    | Promise<Result<void, PersistenceError> | void>;
}

/** Milliseconds to wait before the second and the third attempt. */
const RETRY_DELAYS_MS = [50, 200] as const;

/**
 * Records a model call; without a sink there is nothing to do.
 *
 * Three attempts, since an answer that isn't accounted for is lost: the waits between are 50 ms and 200 ms. A throw is an
 * attempt that failed. After the third it is `persistence-error`, even though the model answered.
 */
export async function recordModelUsage(
  sink: ModelUsageSink | undefined,
  record: ModelUsageRecord,
): Promise<Result<void, PersistenceError>> {
  if (sink === undefined) return ok(undefined);
  let cause = await attempt(sink, record);
  for (const delay of RETRY_DELAYS_MS) {
    if (cause === undefined) return ok(undefined);
    await new Promise((resolve) => setTimeout(resolve, delay));
    cause = await attempt(sink, record);
  }
  if (cause === undefined) return ok(undefined);
  return err({
    code: "persistence-error",
    message:
      `Cannot record the usage of model call ${record.callId} (${record.providerId}/${record.model}): ${
        reasonOf(cause.failure)
      }`,
    cause: cause.failure,
  });
}

/** Why it couldn't be recorded; boxed, since anything may be thrown. */
async function attempt(
  sink: ModelUsageSink,
  record: ModelUsageRecord,
): Promise<{ readonly failure: unknown } | undefined> {
  try {
    const answer = await sink.record(record);
    return answer?.kind === "err" ? { failure: answer.error } : undefined;
  } catch (thrown) {
    return { failure: thrown };
  }
}
