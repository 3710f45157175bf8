/** Waiting for what happens in other processes. */

/** Longest wait for anything that should happen; generous, since it only ends a test that has failed. */
export const PATIENCE_MS = 30_000;

/** Looks again and again until there is a value, and answers it; fails with `what` when there never is. */
export async function eventually<T>(
  what: string | (() => string),
  look: () => T | undefined | Promise<T | undefined>,
): Promise<T> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const value = await look();
    if (value !== undefined) return value;
    if (performance.now() > end) {
      const text = typeof what === "string" ? what : what();
      throw new Error(`never happened: ${text}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
