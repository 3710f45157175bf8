/**
 * What runs are taken up with, and what lies around one.
 *
 * @module
 */

import type { RunParent } from "../journal_entry.ts";
import type { Authorize } from "../node_context.ts";
import type { AskedJournal } from "./asked_journal.ts";
import type { CancelScope } from "./cancel_scope.ts";
import type { RunSubgraph } from "./execution.ts";
import type { LeaseKeeper } from "./lease_keeper.ts";

/** What runs are taken up with. */
export interface RunsParts {
  /** Where runs are kept. */
  readonly journal: AskedJournal;
  /** Leases of this process. */
  readonly leases: LeaseKeeper;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Decides what is allowed. */
  readonly authorize: Authorize | undefined;
  /** Runs subgraphs. */
  readonly runSubgraph: RunSubgraph;
}

/** What lies around a subgraph's run. */
export interface Around {
  /** The step that it is. */
  readonly parent: RunParent;
  /** What stops it. */
  readonly scope: CancelScope;
  /** Concurrency keys that are held. */
  readonly heldKeys: ReadonlySet<string>;
}
