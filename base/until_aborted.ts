/**
 * Waiting that an abort ends, whether or not what is waited for honours the signal.
 *
 * @module
 */

/** The wait was ended by its signal; `cause` is the signal's reason. */
export class AbortedWaitError extends Error {
  /** The class's name, as for every error. */
  override readonly name = "AbortedWaitError";
}

/**
 * Does something, and waits for it until it is done or the signal aborts, whichever comes first.
 *
 * After an abort its outcome is dropped, a rejection too. Under a signal that has aborted already nothing is begun.
 *
 * @returns What it answers; rejects with what it throws, or with {@link AbortedWaitError}.
 */
export function untilAborted<Value>(
  signal: AbortSignal | undefined,
  work: () => Value | Promise<Value>,
): Promise<Value> {
  if (signal === undefined) return Promise.resolve().then(work);
  return new Promise<Value>((resolve, reject) => {
    const onAbort = () =>
      reject(
        new AbortedWaitError("The wait was aborted", { cause: signal.reason }),
      );
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    const done = () => signal.removeEventListener("abort", onAbort);
    const begun = new Promise<Value>((settle) => settle(work()));
    begun.then(
      (value) => {
        done();
        resolve(value);
      },
      (reason) => {
        done();
        reject(reason);
      },
    );
  });
}
