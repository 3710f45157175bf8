/** What a store's leases have to do. */
import { assert, assertEquals, errValue, okValue } from "../../assert.ts";
import type { StoreTest } from "./opened_store.ts";
import { LONG, OTHER, TENANT } from "./fixtures.ts";

/** Registers the tests. */
export function leaseContract(test: StoreTest): void {
  const KEY = "conversation:c-1";

  test("a lease goes to one holder, each time at a higher epoch", async ({ journal }) => {
    const first = okValue(await journal.acquire(TENANT, KEY, "a", LONG));
    assert(first.kind === "held");
    assertEquals(okValue(await journal.acquire(TENANT, KEY, "a", LONG)), first);
    const second = okValue(await journal.acquire(TENANT, KEY, "b", LONG));
    assertEquals(second, { kind: "waiting", place: 1 });
    okValue(await journal.release(TENANT, KEY, "a"));
    const taken = okValue(await journal.acquire(TENANT, KEY, "b", LONG));
    assert(taken.kind === "held" && taken.epoch > first.epoch);
  });

  test("those who wait come in the order they came", async ({ journal }) => {
    await journal.acquire(TENANT, KEY, "a", LONG);
    for (const [place, holder] of [[1, "b"], [2, "c"], [3, "d"]] as const) {
      assertEquals(
        okValue(await journal.acquire(TENANT, KEY, holder, LONG)),
        { kind: "waiting", place },
      );
    }
    await journal.release(TENANT, KEY, "a");
    assertEquals(
      okValue(await journal.acquire(TENANT, KEY, "d", LONG)),
      { kind: "waiting", place: 3 },
    );
    await journal.release(TENANT, KEY, "b");
    assertEquals(
      okValue(await journal.acquire(TENANT, KEY, "d", LONG)),
      { kind: "waiting", place: 2 },
    );
    assertEquals(
      okValue(await journal.acquire(TENANT, KEY, "c", LONG)).kind,
      "held",
    );
  });

  test(
    "a place that isn't renewed drops out, and one that is stays",
    async ({ journal }, { advance }) => {
      await journal.acquire(TENANT, KEY, "a", LONG);
      await journal.acquire(TENANT, KEY, "stale", 200);
      await journal.acquire(TENANT, KEY, "fresh", 200);
      await advance(120);
      await journal.acquire(TENANT, KEY, "fresh", 200);
      await advance(120);
      await journal.release(TENANT, KEY, "a");
      assertEquals(
        okValue(await journal.acquire(TENANT, KEY, "fresh", 200)).kind,
        "held",
      );
    },
  );

  test("asking without waiting takes no place", async ({ journal }) => {
    await journal.acquire(TENANT, KEY, "a", LONG);
    assertEquals(
      okValue(
        await journal.acquire(TENANT, KEY, "b", LONG, { wait: false }),
      ),
      { kind: "waiting", place: 0 },
    );
    assertEquals(
      okValue(await journal.acquire(TENANT, KEY, "c", LONG)),
      { kind: "waiting", place: 1 },
    );
  });

  test(
    "a lease whose time is over can be taken, or renewed while nobody has",
    async ({ journal }, { advance }) => {
      const held = okValue(await journal.acquire(TENANT, KEY, "a", 200));
      assert(held.kind === "held");
      await advance(250);
      okValue(await journal.renew(TENANT, KEY, "a", held.epoch, 200));
      assertEquals(
        okValue(await journal.acquire(TENANT, KEY, "b", LONG)).kind,
        "waiting",
      );
      await advance(250);
      const taken = okValue(await journal.acquire(TENANT, KEY, "b", LONG));
      assert(taken.kind === "held" && taken.epoch > held.epoch);
      assertEquals(
        errValue(await journal.renew(TENANT, KEY, "a", held.epoch, LONG)).code,
        "run-lease-lost",
      );
      // What the one before gives up isn't his any more.
      okValue(await journal.release(TENANT, KEY, "a"));
      okValue(await journal.renew(TENANT, KEY, "b", taken.epoch, LONG));
    },
  );

  test("however many ask at once, one gets it", async ({ journal }) => {
    const answers = await Promise.all(
      Array.from(
        { length: 12 },
        (_, index) => journal.acquire(TENANT, KEY, `h-${index}`, LONG),
      ),
    );
    const held = answers.filter((answer) => okValue(answer).kind === "held");
    assertEquals(held.length, 1);
  });

  test("another tenant's lease is another lease", async ({ journal }) => {
    for (const tenant of [TENANT, OTHER]) {
      const answer = okValue(await journal.acquire(tenant, KEY, "a", LONG));
      assertEquals(answer.kind, "held");
    }
    okValue(await journal.release(OTHER, KEY, "a"));
    assertEquals(
      okValue(await journal.acquire(TENANT, KEY, "b", LONG)).kind,
      "waiting",
    );
  });
}
