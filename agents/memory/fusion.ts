/**
 * One ranking from two: reciprocal rank fusion (`spec/agents_turn.md` 12.1, `spec/decisions.md` 26).
 *
 * @module
 */

import type { FactHit } from "./memory_binding.ts";

/** How much the first places count for over the later ones. */
const RANK_CONSTANT = 60;

/** Where a fact stood in each ranking, from 1; absent where it wasn't found. */
export interface FusedRanks {
  /** Among the facts that share words. */
  readonly keyword?: number;
  /** Among the facts close in meaning. */
  readonly semantic?: number;
}

/** A fact with its place in both rankings. */
export interface FusedHit extends FactHit {
  /** The sum of `1 / (60 + rank)` over the rankings that hold it. */
  readonly score: number;
  /** Where it stood in each. */
  readonly ranks: FusedRanks;
}

/**
 * Fuses two rankings, best first, and cuts the result to `limit`.
 *
 * Only places count, since scores of different kinds can't be compared. Ties go to the better place in either ranking, then
 * to the words, then to the smaller id: the same rankings always fuse the same way. A fact that stands twice in a ranking
 * counts at its first place.
 */
export function fuseRankings(
  keyword: readonly FactHit[],
  semantic: readonly FactHit[],
  limit: number,
): FusedHit[] {
  const fused = new Map<string, { hit: FactHit; ranks: FusedRanks }>();
  const add = (hits: readonly FactHit[], leg: keyof FusedRanks) => {
    for (const [index, hit] of hits.entries()) {
      const { id } = hit.fact;
      const known = fused.get(id) ?? { hit, ranks: {} };
      if (known.ranks[leg] !== undefined) continue;
      const ranks = { ...known.ranks, [leg]: index + 1 };
      fused.set(id, { hit: known.hit, ranks });
    }
  };
  add(keyword, "keyword");
  add(semantic, "semantic");
  return [...fused.values()]
    .map(({ hit, ranks }) => ({
      fact: hit.fact,
      score: share(ranks.keyword) + share(ranks.semantic),
      ranks,
    }))
    .sort(byScore)
    .slice(0, limit);
}

function share(rank: number | undefined): number {
  return rank === undefined ? 0 : 1 / (RANK_CONSTANT + rank);
}

function byScore(a: FusedHit, b: FusedHit): number {
  return b.score - a.score || bestRank(a) - bestRank(b) ||
    (a.ranks.keyword ?? Infinity) - (b.ranks.keyword ?? Infinity) ||
    (a.fact.id < b.fact.id ? -1 : 1);
}

function bestRank({ ranks }: FusedHit): number {
  return Math.min(ranks.keyword ?? Infinity, ranks.semantic ?? Infinity);
}
