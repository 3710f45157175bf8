/** What a store's provenance, usage, tenants and purging have to do. */
import type {
  AgentStore,
  ModelUsageRecord,
  ProvenanceRecord,
} from "../../../agents/store/mod.ts";
import { assertEquals, okValue } from "../../assert.ts";
import type { StoreTest } from "./opened_store.ts";
import {
  entry,
  opened,
  OTHER,
  question,
  startRun,
  TENANT,
} from "./fixtures.ts";

/** Registers the tests. */
export function ledgerContract(test: StoreTest): void {
  test("[trap 56] a provenance record comes back as it was emitted, once", async (store) => {
    okValue(await store.provenance.emit(RECORD, { projectId: "p-1" }));
    okValue(await store.provenance.emit(RECORD, {}));
    const read = okValue(await store.provenance.get(TENANT, "run-1"));
    assertEquals(JSON.stringify(read), JSON.stringify(RECORD));
    assertEquals(okValue(await store.provenance.get(OTHER, "run-1")), null);
  });

  test("model calls are added up, each once, by time and run", async (store) => {
    const call = (more: Partial<ModelUsageRecord>) =>
      store.usage.record({ ...CALL, ...more });
    okValue(await call({}));
    okValue(await call({}));
    okValue(await call({ callId: "2", runId: "run-2", occurredAt: LATER }));
    const { result: _, ...failed } = CALL;
    okValue(
      await store.usage.record({
        ...failed,
        callId: "3",
        status: "failed",
        error: { message: "429" },
      }),
    );
    okValue(await call({ callId: "4", tenantId: OTHER }));
    const one = {
      promptTokens: 10,
      completionTokens: 5,
      cacheReadTokens: 4,
      cacheWriteTokens: 0,
      reasoningTokens: 2,
    };
    assertEquals(okValue(await store.usage.totals({ tenantId: TENANT })), {
      calls: 3,
      failed: 1,
      promptTokens: 20,
      completionTokens: 10,
      cacheReadTokens: 8,
      cacheWriteTokens: 0,
      reasoningTokens: 4,
      costUsd: 0.2,
    });
    assertEquals(
      okValue(
        await store.usage.totals({ tenantId: TENANT, since: LATER }),
      ),
      { calls: 1, failed: 0, ...one, costUsd: 0.1 },
    );
    assertEquals(
      okValue(
        await store.usage.totals({ tenantId: TENANT, runId: "run-1" }),
      ),
      { calls: 2, failed: 1, ...one, costUsd: 0.1 },
    );
    const records = okValue(
      await store.usage.list({ tenantId: TENANT, runId: "run-1" }),
    );
    assertEquals(records.map(({ callId }) => callId), ["1", "3"]);
    assertEquals(records[0]!, CALL);
  });

  test("every tenant that has written is known, and none that has only asked", async (store) => {
    await opened(store);
    await startRun(store, { tenantId: OTHER });
    await store.journal.get("t-3", "run-1");
    const tenants = okValue(await store.tenants());
    assertEquals(tenants.map(String).sort(), [TENANT, OTHER]);
  });

  test(
    "purging removes ended runs with their snapshots and approvals, and nothing that hasn't ended",
    async (store, { advance }) => {
      const end = async (runId: string, tenantId = TENANT) => {
        const epoch = await startRun(store, { runId, tenantId });
        await store.snapshots.write({ ...SNAPSHOT, runId, tenantId });
        await store.approvals.enqueue(
          question({
            tenantId,
            waitTokenId: runId,
            provenanceRef: { runId },
          }),
        );
        okValue(
          await store.journal.append({
            tenantId,
            runId,
            epoch,
            number: 1,
            entries: [entry("run.completed")],
          }),
        );
      };
      await end("old");
      await end("others", OTHER);
      const last = okValue(await store.journal.get(OTHER, "others"));
      const before = new Date(Date.parse(last!.endedAt!) + 25);
      await startRun(store, { runId: "running" });
      await advance(50);
      await end("young");
      assertEquals(okValue(await store.purge({ before, tenantId: TENANT })), {
        runs: 1,
      });
      assertEquals(await left(store, "old"), [false, false, false]);
      assertEquals(await left(store, "young"), [true, true, true]);
      assertEquals((await left(store, "running"))[0], true);
      assertEquals((await left(store, "others", OTHER))[0], true);
      assertEquals(okValue(await store.purge({ before })), { runs: 1 });
      assertEquals((await left(store, "others", OTHER))[0], false);
    },
  );
}

/** Whether a run, its snapshot and its approval are there. */
async function left(
  store: AgentStore,
  runId: string,
  tenantId = TENANT,
): Promise<boolean[]> {
  return [
    okValue(await store.journal.get(tenantId, runId)) !== null,
    okValue(await store.snapshots.read(tenantId, runId)) !== null,
    okValue(await store.approvals.list({ tenantId, runId })).length > 0,
  ];
}

const SNAPSHOT = {
  projectId: "p-1",
  agentId: "a",
  agentVersion: "1.0.0",
  conversationId: "c-1",
  userMessage: "Hello",
};

const LATER = "2026-02-01T00:00:00.000Z";

const CALL: ModelUsageRecord = {
  callId: "1",
  tenantId: TENANT,
  projectId: "p-1",
  runId: "run-1",
  agentId: "a",
  agentVersion: "1.0.0",
  conversationId: "c-1",
  nodeId: "model-call",
  step: 1,
  providerId: "p",
  model: "m1",
  occurredAt: "2026-01-01T00:00:00.000Z",
  status: "ok",
  result: {
    finishReason: "stop",
    usage: {
      promptTokens: 10,
      completionTokens: 5,
      cacheReadTokens: 4,
      reasoningTokens: 2,
    },
    costUsd: 0.1,
    durationMs: 3,
    provider: { id: "p", model: "m1" },
    rawUsage: { z: 1, a: null },
  },
  durationMs: 3,
};

const RECORD: ProvenanceRecord = {
  id: "prov-1",
  runId: "run-1",
  tenantId: TENANT,
  version: "1.0.0",
  createdAt: "2026-01-01T00:00:00.000Z",
  flowRef: { id: "agent.turn", version: "1.1.0" },
  nodes: [
    {
      id: "input:1",
      kind: "input",
      timestamp: "2026-01-01T00:00:00.000Z",
      attributes: { z: 1, a: [null, { b: "\u{1F600}" }] },
    },
  ],
  edges: [],
};
