/** What a store's approvals have to do. */
import type { AgentStore, ReviewerRole } from "../../../agents/store/mod.ts";
import {
  assert,
  assertEquals,
  assertRejects,
  errValue,
  okValue,
} from "../../assert.ts";
import type { StoreTest } from "./opened_store.ts";
import { entry, LONG, OTHER, question, startRun, TENANT } from "./fixtures.ts";

/** Registers the tests. */
export function approvalContract(test: StoreTest): void {
  const decide = (
    store: AgentStore,
    approvalId: string,
    decision: "approve" | "reject" = "approve",
    role: ReviewerRole = "admin",
    more: object = {},
  ) =>
    store.approvals.decide({
      tenantId: TENANT,
      approvalId,
      decision,
      decidedBy: { id: "rev-1", role },
      ...more,
    });
  const inOneMinute = (ms = 0) =>
    new Date(Date.now() + LONG + ms).toISOString();

  test("asking is idempotent on the token, and keeps the question as it was asked", async (store) => {
    const { approvalId } = await store.approvals.enqueue(question());
    const again = await store.approvals.enqueue(question({ title: "Other" }));
    assertEquals(again.approvalId, approvalId);
    const asked = question();
    const approval = okValue(await store.approvals.get(TENANT, approvalId));
    assertEquals(approval.status, "pending");
    assertEquals(
      [approval.title, approval.runId, approval.requiredRole],
      [asked.title, "run-1", "standard"],
    );
    assertEquals(
      JSON.stringify(approval.subjectRef),
      JSON.stringify(asked.subjectRef),
    );
    assertEquals(approval.timeoutMs, LONG);
    assertEquals(
      await store.approvals.getByToken(TENANT, "token-1"),
      approval,
    );
    assertEquals(await store.approvals.getByToken(TENANT, "none"), null);
  });

  test("a decision ends the wait of its run in the same step", async (store) => {
    const epoch = await startRun(store);
    await store.journal.park({
      tenantId: TENANT,
      runId: "run-1",
      epoch,
      number: 1,
      entries: [entry("wait.suspended", { tokenId: "token-1" }, "ask")],
      waitingOn: [{ runId: "run-1", tokenId: "token-1" }],
    });
    const { approvalId } = await store.approvals.enqueue(question());
    const decided = okValue(
      await decide(store, approvalId, "reject", "standard", {
        rationale: "no",
      }),
    );
    assertEquals(
      [decided.status, decided.decidedBy, decided.rationale],
      ["rejected", { id: "rev-1", role: "standard" }, "no"] as never,
    );
    const entries = okValue(await store.journal.read(TENANT, "run-1"));
    assertEquals(entries.at(-1)!.kind, "wait.resumed");
    assertEquals(entries.at(-1)!.payload, {
      tokenId: "token-1",
      value: {
        decided: "reject",
        decidedBy: "rev-1",
        approvalId,
        rationale: "no",
      },
    });
  });

  test("the same decision again answers the same; a different one is already decided", async (store) => {
    const { approvalId } = await store.approvals.enqueue(question());
    const first = okValue(await decide(store, approvalId));
    assertEquals(okValue(await decide(store, approvalId)), first);
    const other = errValue(await decide(store, approvalId, "reject"));
    assert(other.code === "approval-already-decided");
    assertEquals(other.approval, first);
  });

  test("what is no decision throws, and decides nothing", async (store) => {
    const { approvalId } = await store.approvals.enqueue(question());
    const input = {
      tenantId: TENANT,
      approvalId,
      decision: "approve",
      decidedBy: { id: "r-1", role: "admin" },
    } as const;
    for (
      const wrong of [
        { decision: "Approve" },
        { decision: undefined },
        { decidedBy: undefined },
        { decidedBy: { role: "admin" } },
      ]
    ) {
      await assertRejects(
        () => store.approvals.decide({ ...input, ...wrong } as never),
        TypeError,
        approvalId,
      );
    }
    const { status } = okValue(await store.approvals.get(TENANT, approvalId));
    assertEquals(status, "pending");
  });

  test("however many decide at once, one decision stands", async (store) => {
    const { approvalId } = await store.approvals.enqueue(question());
    const answers = await Promise.all(
      Array.from(
        { length: 10 },
        (_, index) =>
          decide(store, approvalId, index % 2 === 0 ? "approve" : "reject"),
      ),
    );
    const { status } = okValue(await store.approvals.get(TENANT, approvalId));
    for (const [index, answer] of answers.entries()) {
      const same = (index % 2 === 0) === (status === "approved");
      assertEquals(answer.kind, same ? "ok" : "err");
    }
  });

  test("deciding takes a role at least as high as required", async (store) => {
    const { approvalId } = await store.approvals.enqueue(
      question({ requiredRole: "senior" }),
    );
    const low = errValue(
      await decide(store, approvalId, "approve", "standard"),
    );
    assert(low.code === "approval-role-too-low");
    assertEquals(low.requiredRole, "senior");
    okValue(await decide(store, approvalId, "approve", "senior"));
  });

  test("an unknown approval, and another tenant's, is not found", async (store) => {
    const { approvalId } = await store.approvals.enqueue(question());
    assertEquals(
      errValue(await store.approvals.get(OTHER, approvalId)).code,
      "approval-not-found",
    );
    assertEquals(
      errValue(await decide(store, "none")).code,
      "approval-not-found",
    );
    const others = await store.approvals.list({ tenantId: OTHER });
    assertEquals(okValue(others), []);
    assertEquals(await store.approvals.getByToken(OTHER, "token-1"), null);
    // Two tenants may have tokens of one name.
    const other = await store.approvals.enqueue(question({ tenantId: OTHER }));
    assert(other.approvalId !== approvalId);
  });

  test("a past-due approval goes up one role at a time with a fresh deadline, then expires and ends its wait", async (store) => {
    const epoch = await startRun(store);
    await store.journal.park({
      tenantId: TENANT,
      runId: "run-1",
      epoch,
      number: 1,
      entries: [entry("wait.suspended", { tokenId: "token-1" }, "ask")],
      waitingOn: [{ runId: "run-1", tokenId: "token-1" }],
    });
    const { approvalId } = await store.approvals.enqueue(question());
    const due = async (after: number) => {
      const now = new Date(Date.now() + after);
      const expired = okValue(
        await store.approvals.expireDue({ now, tenantId: TENANT }),
      );
      const approval = okValue(await store.approvals.get(TENANT, approvalId));
      return { now, expired, approval };
    };
    const early = await due(0);
    assertEquals(early.approval.requiredRole, "standard");
    const senior = await due(2 * LONG);
    assertEquals(senior.approval.requiredRole, "senior");
    assertEquals(
      senior.approval.expiresAt as string,
      new Date(senior.now.getTime() + LONG).toISOString(),
    );
    assertEquals(senior.expired, []);
    const admin = await due(4 * LONG);
    assertEquals(admin.approval.requiredRole, "admin");
    const over = await due(6 * LONG);
    assertEquals(over.approval.status, "expired");
    assertEquals(over.expired as object, [
      { tenantId: TENANT, runId: "run-1", waitTokenId: "token-1" },
    ]);
    const entries = okValue(await store.journal.read(TENANT, "run-1"));
    assertEquals(entries.at(-1)!.payload, {
      tokenId: "token-1",
      reason: "timeout",
    });
    assertEquals(
      errValue(await decide(store, approvalId)).code,
      "approval-expired",
    );
    assertEquals((await due(8 * LONG)).expired, []);
  });

  test(
    "deciding raises a past-due approval first",
    async (store, { advance }) => {
      const { approvalId } = await store.approvals.enqueue(
        question({
          timeoutMs: 200,
          expiresAt: new Date(Date.now() + 200).toISOString(),
        }),
      );
      await advance(250);
      const low = errValue(
        await decide(store, approvalId, "approve", "standard"),
      );
      assertEquals(low.code, "approval-role-too-low");
      const raised = okValue(await store.approvals.get(TENANT, approvalId));
      assertEquals(raised.requiredRole, "senior");
    },
  );

  test("sweeping without a tenant goes over all of them", async (store) => {
    await store.approvals.enqueue(question({ requiredRole: "admin" }));
    await store.approvals.enqueue(
      question({ tenantId: OTHER, requiredRole: "admin" }),
    );
    const expired = okValue(
      await store.approvals.expireDue({ now: new Date(Date.now() + 2 * LONG) }),
    );
    assertEquals(
      expired.map(({ tenantId }) => tenantId).sort(),
      [TENANT, OTHER],
    );
  });

  test("withdrawing takes pending approvals of a run or a conversation, and decides nothing", async (store) => {
    const one = await store.approvals.enqueue(question());
    const two = await store.approvals.enqueue(
      question({
        waitTokenId: "token-2",
        provenanceRef: { runId: "run-2" },
        subjectRef: { conversationId: "c-2" },
      }),
    );
    const done = await store.approvals.enqueue(
      question({ waitTokenId: "token-3" }),
    );
    await decide(store, done.approvalId);
    const withdrawn = okValue(
      await store.approvals.withdraw({ tenantId: TENANT, runId: "run-1" }),
    );
    assertEquals(withdrawn.map(({ id }) => id as string), [one.approvalId]);
    assertEquals(
      okValue(
        await store.approvals.withdraw({
          tenantId: TENANT,
          conversationId: "c-2",
        }),
      ).map(({ id }) => id as string),
      [two.approvalId],
    );
    assertEquals(
      okValue(await store.approvals.withdraw({ tenantId: TENANT })),
      [],
    );
    const refused = errValue(await decide(store, one.approvalId));
    assertEquals(refused.code, "approval-already-decided");
  });

  test(
    "approvals are listed the newest first, by status, run and conversation",
    async (store, { advance }) => {
      const ids: string[] = [];
      for (const token of ["1", "2", "3"]) {
        const { approvalId } = await store.approvals.enqueue(
          question({
            waitTokenId: token,
            provenanceRef: { runId: `run-${token}` },
            subjectRef: { conversationId: token === "3" ? "c-2" : "c-1" },
          }),
        );
        ids.unshift(approvalId);
        await advance(2);
      }
      const list = async (more: object) =>
        okValue(await store.approvals.list({ tenantId: TENANT, ...more }))
          .map(({ id }) => id as string);
      assertEquals(await list({}), ids);
      assertEquals(await list({ limit: 1 }), ids.slice(0, 1));
      assertEquals(await list({ runId: "run-1" }), ids.slice(2));
      assertEquals(await list({ conversationId: "c-1" }), ids.slice(1));
      await decide(store, ids[0]!);
      assertEquals(await list({ status: "approved" }), ids.slice(0, 1));
      assertEquals(await list({ status: "pending" }), ids.slice(1));
    },
  );

  test("an earlier approval covers the same tool at the same version in the same conversation, by a role that is high enough", async (store) => {
    const call = {
      tenantId: TENANT,
      conversationId: "c-1",
      toolId: "pack.lookup",
      toolVersion: "1.0.0",
    };
    const covered = (more: object = {}) =>
      store.approvals.approvedEarlier({ ...call, ...more });
    const { approvalId } = await store.approvals.enqueue(question());
    assertEquals(await covered(), false);
    await decide(store, approvalId, "approve", "senior");
    assertEquals(await covered(), true);
    assertEquals(await covered({ requiredRole: "senior" }), true);
    assertEquals(await covered({ requiredRole: "admin" }), false);
    assertEquals(await covered({ toolVersion: "1.0.1" }), false);
    assertEquals(await covered({ toolId: "pack.other" }), false);
    assertEquals(await covered({ conversationId: "c-2" }), false);
    assertEquals(await covered({ tenantId: OTHER }), false);
  });

  test("a rejection covers nothing", async (store) => {
    const { approvalId } = await store.approvals.enqueue(
      question({ expiresAt: inOneMinute() }),
    );
    await decide(store, approvalId, "reject");
    assertEquals(
      await store.approvals.approvedEarlier({
        tenantId: TENANT,
        conversationId: "c-1",
        toolId: "pack.lookup",
        toolVersion: "1.0.0",
      }),
      false,
    );
  });
}
