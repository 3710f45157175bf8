import { fileURLToPath } from "node:url";
import { assertEquals, assertStringIncludes } from "../assert.ts";
import { messageOf } from "../pack_service/support/caller.ts";
import { CTX } from "../pack_service/support/demo_pack.ts";
import { ServiceProcess } from "../pack_service/support/service_process.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const index = `${root}examples/support_pack/index.json`;

/** The example pack's service, with a ledger of its own. */
class Support implements AsyncDisposable {
  private constructor(
    readonly ledger: string,
    readonly service: ServiceProcess,
  ) {}

  static async start(args: readonly string[] = []): Promise<Support> {
    const ledger = await Deno.makeTempDir();
    const env = { SUPPORT_LEDGER_DIR: ledger };
    return new Support(
      ledger,
      await ServiceProcess.start({ index, env, args }),
    );
  }

  /** Refunds an order's first `amountCents` under a key. */
  refund(amountCents: number, idempotencyKey?: string) {
    const input = { orderId: "A-10042", amountCents, reason: "Scratched" };
    const ctx = { ...CTX, ...(idempotencyKey && { idempotencyKey }) };
    return this.service.caller.invoke("support.refund_order", input, { ctx });
  }

  /** The refunds in the ledger. */
  async refunds(): Promise<{ orderId: string; amountCents: number }[]> {
    const text = await Deno.readTextFile(`${this.ledger}/refunds.jsonl`);
    return text.trimEnd().split("\n").map((line) => JSON.parse(line));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service.stop();
    await Deno.remove(this.ledger, { recursive: true });
  }
}

Deno.test("the example's index is what the indexer writes", async () => {
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      `${root}indexer/main.ts`,
      "--pack-dir",
      `${root}examples/support_pack`,
      "--check",
    ],
    stdin: "null",
  }).output();
  assertEquals(code, 0, new TextDecoder().decode(stderr));
});

Deno.test("the example answers an order, and null for one that isn't there", async () => {
  await using support = await Support.start();
  const { caller } = support.service;
  const find = (orderId: string) =>
    caller.output("support.find_order", { orderId });
  assertStringIncludes(JSON.stringify(await find("A-10042")), "Mara");
  assertEquals(await find("A-99999"), { order: null });

  const listed = await caller.output("support.list_orders", {
    status: "cancelled",
  }) as { orders: { status: string }[]; matching: number };
  assertEquals(listed.orders.length, listed.matching);
  assertEquals(new Set(listed.orders.map(({ status }) => status)).size, 1);
});

Deno.test("a refund that is called again with its key goes out once", async () => {
  await using support = await Support.start();
  const key = crypto.randomUUID();
  // At once, as a runtime that gave up on the first one might.
  const answers = await Promise.all([
    support.refund(1_500, key),
    support.refund(1_500, key),
  ]);
  const [first, second] = answers.map((answer) =>
    messageOf(answer, "result").output
  );
  assertEquals(first, second);
  assertEquals(
    (await support.refunds()).map(({ amountCents }) => amountCents),
    [1_500],
  );
});

Deno.test("refunds of an order end at what was paid for it", async () => {
  await using support = await Support.start();
  messageOf(await support.refund(10_000), "result");
  assertStringIncludes(
    String(messageOf(await support.refund(10_000), "error").message),
    "6800 are left",
  );
  messageOf(await support.refund(6_800), "result");
  assertEquals((await support.refunds()).length, 2);
});

Deno.test("the ledger is kept when the service starts again", async () => {
  const ledger = await Deno.makeTempDir();
  try {
    const input = { orderId: "A-10042", amountCents: 16_800, reason: "Lost" };
    const env = { SUPPORT_LEDGER_DIR: ledger };
    {
      await using service = await ServiceProcess.start({ index, env });
      await service.caller.output("support.refund_order", input);
    }
    await using service = await ServiceProcess.start({ index, env });
    const refused = await service.caller.error("support.refund_order", input);
    assertStringIncludes(refused.message, "0 are left");
  } finally {
    await Deno.remove(ledger, { recursive: true });
  }
});

Deno.test("the example's check finds card numbers, but neither other numbers nor those that its config allows", async () => {
  await using support = await Support.start();
  const passes = async (output: string, config = {}) => {
    const answer = await support.service.caller.check(
      "support.checks.no-card-numbers",
      config,
      { output },
    );
    return (messageOf(answer, "check-result").result as { passed: boolean })
      .passed;
  };
  assertEquals(await passes("Card 5555-5555-5555-4444"), false);
  assertEquals(await passes("Card 5555555555554444."), false);
  assertEquals(await passes("Parcel 5555555555554445 is on its way"), true);
  assertEquals(
    await passes("Card 5555 5555 5555 4444", {
      allowed: ["5555555555554444"],
    }),
    true,
  );
  const refused = await support.service.caller.check(
    "support.checks.no-card-numbers",
    { allowed: "all" },
    {},
  );
  assertEquals(messageOf(refused, "error").code, "input-validation-failed");
});

Deno.test("a grant doesn't open more to the example's tool in a sandbox", async () => {
  await using support = await Support.start([
    "--grant",
    "net=intranet.example.org",
  ]);
  const error = await support.service.caller.error("support.fetch_status", {
    trackingUrl: "http://intranet.example.org/",
  });
  assertStringIncludes(error.message, "Requires net access");
});
