/**
 * Finding facts by words, for a store without a search engine of its own.
 *
 * @module
 */

import type { Fact } from "./fact.ts";
import type { FactHit } from "./memory_binding.ts";

/** BM25's usual constants: how fast repeated words stop counting, and how much long texts are held back. */
const SATURATION = 1.2;
const LENGTH_WEIGHT = 0.75;

/**
 * The words of a text: runs of letters, digits and marks, compared without case and width (NFKC).
 *
 * Scripts that put no spaces between words give long runs; their runs are split into single characters.
 */
export function wordsOf(text: string): string[] {
  const words = text.normalize("NFKC").toLowerCase()
    .match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  return words.flatMap((word) => UNSPACED.test(word) ? [...word] : [word]);
}

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** A fact's content as text to search. */
export function searchText({ content }: Fact): string {
  return typeof content === "string" ? content : textsIn(content).join(" ");
}

/** The texts and numbers in a JSON value; keys aren't content. */
function textsIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) {
    return value === undefined || value === null ? [] : [String(value)];
  }
  return Object.values(value).flatMap(textsIn);
}

/**
 * Ranks facts by the words that they share with a query (BM25), best first; facts that share none are left out.
 *
 * Rare words count for more than common ones, and a word in a short text for more than in a long one. Ties keep the order of
 * `facts`.
 */
export function rankByKeyword(
  facts: readonly Fact[],
  query: string,
  topK: number,
): FactHit[] {
  const wanted = new Set(wordsOf(query));
  if (wanted.size === 0) return [];
  const texts = facts.map((fact) => countWords(searchText(fact), wanted));
  const averageLength = texts.reduce((sum, { length }) => sum + length, 0) /
    Math.max(1, texts.length);
  const weights = new Map(
    [...wanted].map((word) => {
      const holding = texts.filter(({ counts }) => counts.has(word)).length;
      return [word, rarity(holding, texts.length)];
    }),
  );
  const hits = facts.flatMap((fact, index) => {
    const { counts, length } = texts[index]!;
    let score = 0;
    for (const [word, count] of counts) {
      const held = SATURATION *
        (1 - LENGTH_WEIGHT + LENGTH_WEIGHT * length / averageLength);
      score += weights.get(word)! * count * (SATURATION + 1) / (count + held);
    }
    return score > 0 ? [{ fact, score }] : [];
  });
  return hits.sort((a, b) => b.score - a.score).slice(0, topK);
}

/** How often the wanted words stand in a text, and how long it is. */
function countWords(
  text: string,
  wanted: ReadonlySet<string>,
): { readonly counts: Map<string, number>; readonly length: number } {
  const words = wordsOf(text);
  const counts = new Map<string, number>();
  for (const word of words) {
    if (wanted.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return { counts, length: words.length };
}

/** How much a word tells, from how many of the texts hold it; always above 0. */
function rarity(holding: number, total: number): number {
  return Math.log(1 + (total - holding + 0.5) / (holding + 0.5));
}
