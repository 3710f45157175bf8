/**
 * Transactions that outlive neither their connection nor the process.
 *
 * @module
 */

import type { Sql, TransactionSql } from "postgres";
import { isAnswer } from "./failures.ts";

/** A value for a statement. */
export type Parameter = string | number | boolean | null;

/** Runs a statement. */
export type Run = <Row>(
  statement: string,
  values?: readonly Parameter[],
) => Promise<Row[]>;

/** Runs statements one by one, on whichever connection is free; or on that of a transaction. */
export function runOn(sql: Sql | TransactionSql): Run {
  return async <Row>(statement: string, values: readonly Parameter[] = []) =>
    await sql.unsafe(statement, [...values]) as unknown as Row[];
}

/**
 * Does work in a transaction, which is committed once the work is done and rolled back if it fails.
 *
 * When work fails, the package `postgres` sends `rollback` whatever became of the connection; where that is gone it throws
 * outside of any promise, which ends the process. So work whose connection is gone doesn't come to an end here: the package
 * itself fails the transaction as the connection closes, and sends nothing more.
 */
export async function begin<Value>(
  sql: Sql,
  work: (run: Run) => Promise<Value>,
): Promise<Value> {
  const connection = { gone: false };
  try {
    return await sql.begin((transaction) =>
      unlessGone(connection, transaction, work)
    ) as Value;
  } catch (thrown) {
    connection.gone = true;
    throw thrown;
  }
}

async function unlessGone<Value>(
  connection: { gone: boolean },
  transaction: TransactionSql,
  work: (run: Run) => Promise<Value>,
): Promise<Value> {
  const runNow = runOn(transaction);
  const run: Run = async (statement, values) => {
    if (connection.gone) return await never();
    try {
      return await runNow(statement, values);
    } catch (thrown) {
      if (isAnswer(thrown)) throw thrown;
      connection.gone = true;
      return await never();
    }
  };
  try {
    const value = await work(run);
    return connection.gone ? await never() : value;
  } catch (thrown) {
    if (connection.gone) return await never();
    throw thrown;
  }
}

function never(): Promise<never> {
  return new Promise(() => {});
}
