/**
 * What every store has to do, as tests: a store's own test file gives an opener and calls {@link testStore}.
 *
 * Each part is in a file of its own; a part registers its tests under the store's name.
 */
import type { AgentStore } from "../../../agents/store/mod.ts";
import { approvalContract } from "./contract_approvals.ts";
import { conversationContract } from "./contract_conversations.ts";
import { journalContract } from "./contract_journal.ts";
import { leaseContract } from "./contract_leases.ts";
import { ledgerContract } from "./contract_ledgers.ts";
import { memoryContract } from "./contract_memory.ts";

/** A store opened for one test: empty, with a clock that can be moved on. */
export interface OpenedStore {
  /** The store. */
  readonly store: AgentStore;
  /** Lets so many milliseconds pass for the store: by moving its clock, or by waiting. */
  advance(ms: number): Promise<void>;
  /** Closes the store and removes what it left. */
  close(): Promise<void>;
}

/** Opens a store. */
export type OpenStore = () => Promise<OpenedStore>;

/** Registers one test of a store. */
export type StoreTest = (
  name: string,
  test: (store: AgentStore, opened: OpenedStore) => Promise<void>,
) => void;

/** Registers every test of a store. */
export function testStore(name: string, open: OpenStore): void {
  const test: StoreTest = (title, body) =>
    Deno.test(`${name}: ${title}`, async () => {
      const opened = await open();
      try {
        await body(opened.store, opened);
      } finally {
        await opened.close();
      }
    });
  conversationContract(test);
  journalContract(test);
  leaseContract(test);
  approvalContract(test);
  memoryContract(test);
  ledgerContract(test);
}
