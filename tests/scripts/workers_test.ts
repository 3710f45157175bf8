/** Several workers on one store, killed at random. */
import { assert } from "../assert.ts";
import { AgentPack } from "./agent_pack.ts";
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
