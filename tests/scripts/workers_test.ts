/** Several workers on one store, killed at random. */
import { assert } from "../assert.ts";
import { AgentPack } from "./agent_pack.ts";
import { TestDatabase } from "../agents/store/postgres_database.ts";
import { runHerd } from "./worker_herd.ts";

const HERD = {
  conversations: 12,
  workers: 2,
  kills: 5,
  modelMs: 150,
  toolMs: 100,
  concurrency: 2,
};

Deno.test("two workers on one file, killed at random: every turn ends once, with every message once, and no stored result's tool runs again", async () => {
  await using pack = await AgentPack.write();
  const { kills } = await runHerd({ ...HERD, pack, store: pack.store });
  assert(kills > 0);
});

const database = await TestDatabase.make();

Deno.test({
  name: "two workers on one Postgres, killed at random: the same",
  // PGlite has one session for all of them.
  ignore: database.server.kind === "pglite",
  fn: async () => {
    await using pack = await AgentPack.write();
    const { kills } = await runHerd({ ...HERD, pack, store: database.url });
    assert(kills > 0);
  },
});
