/**
 * What every store has to do, as tests: a store's own test file gives an opener and calls {@link testStore}.
 *
 * Each part is in a file of its own; a part registers its tests under the store's name.
 */
import { approvalContract } from "./contract_approvals.ts";
import { conversationContract } from "./contract_conversations.ts";
import { journalContract } from "./contract_journal.ts";
import { leaseContract } from "./contract_leases.ts";
import { ledgerContract } from "./contract_ledgers.ts";
import { memoryContract } from "./contract_memory.ts";
import { togetherContract } from "./contract_together.ts";
import type { OpenStore, StoreTest } from "./opened_store.ts";

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
  togetherContract(test);
}
