/** The ledger of refunds: a file with one line of JSON a refund, which is only ever appended to. */
import { appendFile, mkdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

/** A refund in the ledger. */
export interface Refund {
  readonly refundId: string;
  readonly orderId: string;
  readonly amountCents: number;
  readonly reason: string;
  readonly at: string;
}

/** The ledger's folder: `SUPPORT_LEDGER_DIR`, else one beside other temporary files, which is enough to try it out. */
const FOLDER = process.env.SUPPORT_LEDGER_DIR ||
  join(tmpdir(), "support-ledger");
const FILE = join(FOLDER, "refunds.jsonl");

let last: Promise<unknown> = Promise.resolve();

/**
 * Reads the ledger, and appends the refund that `decide` makes of it. Calls run concurrently; here they queue, so that
 * two of them can't both find the ledger without the other's refund.
 */
export function withLedger(
  decide: (refunds: readonly Refund[]) => Refund,
): Promise<Refund> {
  const turn = last.then(async () => {
    const refunds = await readRefunds();
    const refund = decide(refunds);
    if (!refunds.includes(refund)) {
      await mkdir(FOLDER, { recursive: true });
      await appendFile(FILE, `${JSON.stringify(refund)}\n`);
    }
    return refund;
  });
  last = turn.catch(() => {});
  return turn;
}

async function readRefunds(): Promise<Refund[]> {
  let text: string;
  try {
    text = await readFile(FILE, "utf8");
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return [];
    throw error;
  }
  return text.split("\n").filter((line) => line !== "").map((line) =>
    JSON.parse(line)
  );
}
