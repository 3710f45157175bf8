import fc from "fast-check";
import { fuseRankings } from "../../../agents/memory/mod.ts";
import { assert, assertEquals } from "../../assert.ts";
import { ranking } from "./facts.ts";

/** A ranking: distinct ids in some order. */
const ids = fc.uniqueArray(fc.constantFrom(..."abcdefghijkl"), {
  maxLength: 12,
});

const idsOf = (hits: readonly { fact: { id: string } }[]) =>
  hits.map(({ fact }) => fact.id);

Deno.test("fusing with an empty ranking keeps the other's order", () => {
  fc.assert(
    fc.property(ids, (order) => {
      assertEquals(idsOf(fuseRankings(ranking(...order), [], 99)), order);
      assertEquals(idsOf(fuseRankings([], ranking(...order), 99)), order);
    }),
  );
});

Deno.test("a fused ranking holds every fact once, scores falling, each score the sum of its places", () => {
  fc.assert(
    fc.property(ids, ids, (a, b) => {
      const fused = fuseRankings(ranking(...a), ranking(...b), 99);
      assertEquals(idsOf(fused).sort(), [...new Set([...a, ...b])].sort());
      for (const [index, { fact, score, ranks }] of fused.entries()) {
        const places = [a.indexOf(fact.id), b.indexOf(fact.id)];
        assertEquals([ranks.keyword ?? 0, ranks.semantic ?? 0], [
          places[0]! + 1,
          places[1]! + 1,
        ]);
        const sum = places.filter((place) => place >= 0)
          .reduce((total, place) => total + 1 / (61 + place), 0);
        assertEquals(score, sum);
        assert(index === 0 || fused[index - 1]!.score >= score);
      }
    }),
  );
});

Deno.test("a fact that both rankings place at least as well as another is not behind it", () => {
  fc.assert(
    fc.property(ids, ids, (a, b) => {
      const order = idsOf(fuseRankings(ranking(...a), ranking(...b), 99));
      const place = (list: string[], id: string) => {
        const at = list.indexOf(id);
        return at === -1 ? Infinity : at;
      };
      for (const x of order) {
        for (const y of order) {
          const better = place(a, x) < place(a, y) && place(b, x) < place(b, y);
          assert(!better || order.indexOf(x) < order.indexOf(y));
        }
      }
    }),
  );
});

Deno.test("the limit cuts the end, and nothing else", () => {
  fc.assert(
    fc.property(ids, ids, fc.nat(12), (a, b, limit) => {
      const all = fuseRankings(ranking(...a), ranking(...b), 99);
      assertEquals(
        fuseRankings(ranking(...a), ranking(...b), limit),
        all.slice(0, limit),
      );
    }),
  );
});

Deno.test("a fact that stands twice in a ranking counts at its first place", () => {
  const [first] = fuseRankings(ranking("x", "y", "x"), [], 9);
  assertEquals(first?.ranks, { keyword: 1 });
  assertEquals(first?.score, 1 / 61);
});
