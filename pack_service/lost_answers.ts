/**
 * The answers of calls that ended with their executor.
 *
 * @module
 */

import type { ExecutorLostReason } from "./events.ts";
import { failure } from "./error_answer.ts";
import type { BegunCall, CallAnswer } from "./executor.ts";
import { packError } from "./protocol.ts";

function nameOf({ target, id }: BegunCall): string {
  return target === "tool" ? `Tool "${id}"` : `Check "${id}"`;
}

function targetOf(
  { target, id }: BegunCall,
): { toolId: string } | { checkId: string } {
  return target === "tool" ? { toolId: id } : { checkId: id };
}

/** A call whose executor ended while its pack code may have been running (`spec/executors.md`, Deadlines). */
export function executorLost(
  call: BegunCall,
  reason: ExecutorLostReason,
): CallAnswer {
  const why = `its executor was lost (${reason})`;
  const answer = failure(packError(
    "handler-throw",
    `${nameOf(call)} gave no answer: ${why}; it may have run`,
    {
      ...targetOf(call),
      cause: {
        name: "ExecutorLost",
        message: `${why}; the call may have run`,
        reason,
      },
    },
  ));
  return { ...answer, lost: true };
}

/** A call that used more CPU time than its tool may. */
export function overCpuLimit(call: BegunCall, limitMs: number): CallAnswer {
  const answer = failure(packError(
    "deadline-exceeded",
    `${
      nameOf(call)
    } used more than its limit of ${limitMs} ms of CPU time and was ended`,
    targetOf(call),
  ));
  return { ...answer, lost: true };
}
