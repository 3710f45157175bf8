/** The contract of stores, on SQLite. */
import { openSqliteStore } from "../../../agents/store/sqlite.ts";
import { testStore } from "./contract.ts";
import type { OpenedStore } from "./opened_store.ts";

function openedAt(path: string, remove: () => Promise<void>): OpenedStore {
  let ahead = 0;
  const store = openSqliteStore(path, { clock: () => Date.now() + ahead });
  return {
    store,
    advance: (ms) => {
      ahead += ms;
      return Promise.resolve();
    },
    async close() {
      await store.close();
      await remove();
    },
  };
}

testStore("SQLite file", async () => {
  const folder = await Deno.makeTempDir();
  return openedAt(
    `${folder}/agents.db`,
    () => Deno.remove(folder, { recursive: true }),
  );
});

testStore(
  "SQLite in memory",
  () => Promise.resolve(openedAt(":memory:", () => Promise.resolve())),
);
