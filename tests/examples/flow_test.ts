/** The example pack's flow on the run binding, its tools in the pack's started service. */
import { fileURLToPath } from "node:url";
import {
  createRunBinding,
  type Flow,
  loadFlow,
  type NodeHandler,
  type RunResult,
} from "../../agents/flow/mod.ts";
import {
  createMemoryStore,
  type MemoryAgentStore,
} from "../../agents/store/mod.ts";
import {
  invokeTool,
  packServiceTools,
  toolIdempotencyKey,
} from "../../agents/tools/mod.ts";
import { type Cut, CutJournal } from "../agents/flow/cut_journal.ts";
import { contextWith } from "../agents/tools/tool_fixture.ts";
import {
  assert,
  assertEquals,
  assertObjectMatch,
  assertStringIncludes,
  okValue,
} from "../assert.ts";
import { TOKEN } from "../pack_service/support/demo_pack.ts";
import { ServiceProcess } from "../pack_service/support/service_process.ts";

const PATH = fileURLToPath(
  new URL("../../examples/support_pack/index.json", import.meta.url),
);
const INDEX = JSON.parse(await Deno.readTextFile(PATH));
const RUN = { tenantId: "t-1", runId: "run-1" };

const SMALL_RETURN = "A-10046";
const LARGE_RETURN = "A-10036";
const ON_ITS_WAY = "A-10060";

/** The service, its ledger, and the flow as its index has it. */
class Settling implements AsyncDisposable {
  /** The tools that were called, in order. */
  readonly called: string[] = [];

  private constructor(
    readonly ledger: string,
    readonly service: ServiceProcess,
    readonly flow: Flow,
  ) {}

  static async start(): Promise<Settling> {
    const { modulePath: _, kernelPayloadVersion: __, ...flow } = INDEX.flows
      .find(
        ({ id }: { id: string }) => id === "support.settle_return",
      );
    const ledger = await Deno.makeTempDir();
    const service = await ServiceProcess.start({
      index: PATH,
      env: { SUPPORT_LEDGER_DIR: ledger },
    });
    return new Settling(ledger, service, okValue(loadFlow(flow)));
  }

  /** Every tool of the pack as a handler: a node's `ref` is the tool's id. */
  handlers(): ReadonlyMap<string, NodeHandler> {
    const url = `http://127.0.0.1:${this.service.port}/`;
    const tools = packServiceTools({ url, token: TOKEN, index: INDEX });
    return new Map(tools.map((tool) => [
      tool.id,
      async (input, { runId, stepScope, abortSignal }) => {
        this.called.push(tool.id);
        const call = { runId, stepScope, toolId: tool.id };
        const answer = await invokeTool(
          tool,
          input,
          contextWith({
            runId,
            abortSignal,
            requestId: stepScope,
            idempotencyKey: toolIdempotencyKey(call),
          }),
        );
        if (answer.kind === "err") throw new Error(answer.error.message);
        return { output: answer.value };
      },
    ]));
  }

  /** Starts the run for an order in a store; `undefined` when the store was gone before its end. */
  async start(
    orderId: string,
    store: MemoryAgentStore = createMemoryStore(),
    cut: CutJournal = new CutJournal(store.journal, undefined),
  ): Promise<RunResult | undefined> {
    const result = await createRunBinding({ journal: cut.journal }).runGraph({
      ...RUN,
      flow: this.flow,
      handlers: this.handlers(),
      input: { orderId },
    });
    if (result.kind === "ok") return result.value;
    assertEquals(result.error.code, "journal-error");
    return undefined;
  }

  /** Takes the run further that a dead process left in a store, once its leases have run out. */
  async resume(store: MemoryAgentStore): Promise<RunResult> {
    const reloaded = createMemoryStore({
      saved: store.save(),
      clock: () => Date.now() + 60_000,
    });
    if (okValue(await reloaded.journal.get("t-1", "run-1")) === null) {
      return (await this.start(SMALL_RETURN, reloaded))!;
    }
    return okValue(
      await createRunBinding({ journal: reloaded.journal }).resumeRun({
        ...RUN,
        flow: this.flow,
        handlers: this.handlers(),
      }),
    );
  }

  /** The ledger's refunds. */
  async refunds(): Promise<{ orderId: string; amountCents: number }[]> {
    try {
      const text = await Deno.readTextFile(`${this.ledger}/refunds.jsonl`);
      return text.trimEnd().split("\n").map((line) => JSON.parse(line));
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return [];
      throw error;
    }
  }

  /** Empties the ledger. */
  async forget(): Promise<void> {
    this.called.length = 0;
    await Deno.remove(`${this.ledger}/refunds.jsonl`).catch(() => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service.stop();
    await Deno.remove(this.ledger, { recursive: true });
  }
}

Deno.test("the example's flow runs against the pack's service, one way or the other", async (t) => {
  await using settling = await Settling.start();

  await t.step("a small order that came back is refunded", async () => {
    const result = await settling.start(SMALL_RETURN);
    assertObjectMatch(result!, {
      status: "completed",
      output: {
        status: "returned",
        refund: { orderId: SMALL_RETURN, amountCents: 7_900 },
      },
    });
    assertEquals(settling.called, [
      "support.find_order",
      "support.refund_order",
    ]);
    assertEquals((await settling.refunds()).length, 1);
  });

  for (
    const [what, orderId] of [["large", LARGE_RETURN], [
      "shipped",
      ON_ITS_WAY,
    ]] as const
  ) {
    await t.step(`a ${what} order is left to a person`, async () => {
      await settling.forget();
      const result = await settling.start(orderId);
      assertEquals(result?.status, "completed");
      assertEquals(
        Object.keys(result?.output as object).sort(),
        ["earlierReturns", "status"],
      );
      assertEquals(settling.called, [
        "support.find_order",
        "support.list_orders",
      ]);
      assertEquals(await settling.refunds(), []);
    });
  }

  await t.step("an order that isn't there ends the run", async () => {
    await settling.forget();
    const result = await settling.start("A-99999");
    assertEquals(result?.status, "completed");
    assertEquals(result?.output, {});
    assertEquals(settling.called, ["support.find_order"]);
  });

  await t.step("an id that isn't one fails the run", async () => {
    await settling.forget();
    const result = await settling.start("10046");
    assertEquals(result?.status, "failed");
    assertStringIncludes(result?.failureMessage ?? "", "support.find_order");
  });
});

Deno.test("the example's flow, cut at any write and resumed elsewhere, refunds once and answers the same", async () => {
  await using settling = await Settling.start();
  const store = createMemoryStore();
  const uncut = new CutJournal(store.journal, undefined);
  const { output } = (await settling.start(SMALL_RETURN, store, uncut))!;
  const { refund } = output as { refund: { refundId: string } };
  assert(uncut.writes >= 3, `only ${uncut.writes} writes`);

  for (let at = 1; at <= uncut.writes; at++) {
    for (const stored of [false, true]) {
      await settling.forget();
      const cut: Cut = { at, stored };
      const store = createMemoryStore();
      const dead = await settling.start(
        SMALL_RETURN,
        store,
        new CutJournal(store.journal, cut),
      );
      assertEquals(dead, undefined, JSON.stringify(cut));
      const result = await settling.resume(store);
      assertEquals(result.status, "completed", JSON.stringify(cut));
      // The key comes of the run and the step, so that the ledger knows the call again.
      assertObjectMatch(result.output as object, {
        status: "returned",
        refund: { refundId: refund.refundId, amountCents: 7_900 },
      });
      assertEquals((await settling.refunds()).length, 1, JSON.stringify(cut));
    }
  }
});
