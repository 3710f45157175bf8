/** Random flows, cancelled at a random moment, parked or running, over processes that die. */
import fc from "fast-check";
import {
  createRunBinding,
  type NodeHandler,
  type RunBinding,
} from "../../../agents/flow/mod.ts";
import { createMemoryStore } from "../../../agents/store/mod.ts";
import { assert, assertEquals, okValue } from "../../assert.ts";
import { CutJournal } from "./cut_journal.ts";
import { LEAF, randomFlow, STEADY } from "./random_flow.ts";
import { loaded, TENANT } from "./running.ts";

const RUN = "run-1";

Deno.test("random flows, cancelled at a random moment, end once, with every run beneath them, and run nothing more", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.gen(),
      fc.record({
        cancelAt: fc.nat(12),
        cancelParked: fc.boolean(),
        waitEvery: fc.integer({ min: 2, max: 6 }),
        failEvery: fc.integer({ min: 5, max: 30 }),
        cuts: fc.array(
          fc.record({
            at: fc.integer({ min: 1, max: 8 }),
            stored: fc.boolean(),
          }),
          { maxLength: 4 },
        ),
      }),
      async (g, { cancelAt, cancelParked, waitEvery, failEvery, cuts }) => {
        const random = randomFlow(g);
        const flow = loaded(random.flow);
        const children = random.children.map(loaded);
        let now = Date.now();
        const clock = () => now;
        let store = createMemoryStore({ clock });
        let binding: RunBinding;
        let calls = 0;
        let isAsked = false;
        const cancel = async () => {
          isAsked = true;
          await binding.cancelRun(TENANT, RUN, "enough");
        };
        const leaf: NodeHandler = async (_input, context) => {
          const call = ++calls;
          if (call === cancelAt) await cancel();
          if (call % 3 === 0) await new Promise((on) => setTimeout(on));
          if (call % failEvery === 0) throw new Error("failed");
          if (call % waitEvery === 0) {
            await context.waitForToken(`${context.runId} ${context.stepScope}`);
          }
          return { v: call };
        };
        const run = {
          tenantId: TENANT,
          runId: RUN,
          flow,
          handlers: new Map<string, NodeHandler>([
            [LEAF, leaf],
            [STEADY, () => 1],
          ]),
        };
        let status = "";
        for (let processes = 0; status === ""; processes++) {
          assert(processes < 100, "the run makes no headway");
          const { journal } = new CutJournal(store.journal, cuts[processes]);
          binding = createRunBinding({
            journal,
            flows: (_tenantId, { flowId }) =>
              children.find(({ id }) => id === flowId),
          });
          const known = okValue(await store.journal.get(TENANT, RUN));
          const result = known === null
            ? await binding.runGraph({ ...run, input: { n: 1, items: ["a"] } })
            : await binding.resumeRun(run);
          if (result.kind === "err") {
            assertEquals(result.error.code, "journal-error");
            now += 60_000;
            store = createMemoryStore({ clock, saved: store.save() });
          } else if (result.value.status !== "suspended") {
            status = result.value.status;
          } else if (cancelParked) await cancel();
          else {
            for (const { runId, tokenId } of result.value.waitingOn ?? []) {
              await binding.completeToken(TENANT, runId, tokenId, 1);
            }
          }
        }
        const before = calls;
        await new Promise((on) => setTimeout(on));
        assertEquals(calls, before);
        assert(isAsked || status !== "cancelled");
        for (
          const { runId } of okValue(
            await store.journal.list({ tenantId: TENANT }),
          )
        ) {
          const entries = okValue(await store.journal.read(TENANT, runId));
          const ends = entries.filter(({ kind }) =>
            /^run\.(completed|failed|cancelled)$/.test(kind)
          );
          assertEquals(ends.length, 1, runId);
          assertEquals(entries.at(-1), ends[0]);
        }
        const again = okValue(await binding!.resumeRun(run));
        assertEquals(again.status as string, status);
      },
    ),
    { numRuns: 200 },
  );
});
