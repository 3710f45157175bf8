/**
 * A journal as the binding asks it: what it throws is answered, and its errors are the binding's.
 *
 * @module
 */

import { err, ok, type Result } from "../../../base/result.ts";
import type { JournalEntry } from "../journal_entry.ts";
import type { JournalError } from "../journal_error.ts";
import type { KernelError } from "../kernel_errors.ts";
import type {
  ListRunsInput,
  RunJournal,
  TokenOutcome,
  TokenResolution,
} from "../run_journal.ts";
import type { RunRecord } from "../run_record.ts";
import { kernelError, thrownByJournal } from "./halted.ts";

/** Asks a journal. */
export class AskedJournal {
  /** The journal itself. */
  readonly journal: RunJournal;

  /** Asks nothing yet. */
  constructor(journal: RunJournal) {
    this.journal = journal;
  }

  /** A run; `run-not-found` when there is none. */
  async get(
    tenantId: string,
    runId: string,
  ): Promise<Result<RunRecord, KernelError>> {
    const found = await asked(
      "read",
      runId,
      () => this.journal.get(tenantId, runId),
    );
    if (found.kind === "err") return found;
    if (found.value !== null) return ok(found.value);
    return err({
      code: "run-not-found",
      message: `Cannot find run ${runId}: the tenant has no such run`,
      runId,
    });
  }

  /** A run's entries. */
  read(
    tenantId: string,
    runId: string,
  ): Promise<Result<readonly JournalEntry[], KernelError>> {
    return asked("read", runId, () => this.journal.read(tenantId, runId));
  }

  /** Runs. */
  list(
    input: ListRunsInput,
  ): Promise<Result<readonly RunRecord[], KernelError>> {
    return asked("list", "", () => this.journal.list(input));
  }

  /** Asks for a run to be cancelled. */
  requestCancel(
    tenantId: string,
    runId: string,
    reason: string,
  ): Promise<Result<RunRecord, KernelError>> {
    return asked(
      "cancel",
      runId,
      () => this.journal.requestCancel(tenantId, runId, reason),
    );
  }

  /** Resolves a token. */
  resolveToken(
    tenantId: string,
    runId: string,
    outcome: TokenOutcome,
  ): Promise<Result<TokenResolution, KernelError>> {
    return asked(
      `resolve token ${outcome.tokenId} of`,
      runId,
      () => this.journal.resolveToken({ tenantId, runId, outcome }),
    );
  }

  /** Deletes a run. */
  remove(
    tenantId: string,
    runId: string,
  ): Promise<Result<void, KernelError>> {
    return asked("delete", runId, () => this.journal.remove(tenantId, runId));
  }
}

async function asked<Value>(
  doing: string,
  runId: string,
  question: () => Promise<Result<Value, JournalError>>,
): Promise<Result<Value, KernelError>> {
  try {
    const answer = await question();
    return answer.kind === "ok"
      ? answer
      : err(kernelError(runId, answer.error));
  } catch (thrown) {
    return err(thrownByJournal(doing, runId, thrown));
  }
}
