/**
 * Finding a cycle among edges.
 *
 * @module
 */

import { compareCodeUnits } from "../../base/canonical_json.ts";

/** What of a graph matters here. */
interface Graph {
  readonly nodes: readonly { readonly id: string }[];
  readonly edges: readonly { readonly from: string; readonly to: string }[];
}

/**
 * The ids along a cycle, the first one again at the end, or `undefined` when there is none.
 *
 * The same graph gives the same cycle, in whatever order it lists its nodes and edges. Takes time in proportion to the
 * nodes and edges, and no more of the call stack for a longer chain.
 */
export function findCycle(graph: Graph): readonly string[] | undefined {
  const sources = new Map<string, Set<string>>();
  const targets = new Map<string, Set<string>>();
  for (const { id } of graph.nodes) {
    sources.set(id, new Set());
    targets.set(id, new Set());
  }
  for (const { from, to } of graph.edges) {
    if (!sources.has(to) || !targets.has(from)) continue;
    sources.get(to)!.add(from);
    targets.get(from)!.add(to);
  }

  // Take away what nothing leads to until only nodes on, or behind, a cycle are left.
  const free = [...sources.keys()].filter((id) => sources.get(id)!.size === 0);
  for (let id = free.pop(); id !== undefined; id = free.pop()) {
    sources.delete(id);
    for (const target of targets.get(id)!) {
      const left = sources.get(target)!;
      left.delete(id);
      if (left.size === 0) free.push(target);
    }
  }
  if (sources.size === 0) return undefined;

  // Each of those has a source among them, so walking against the edges comes round.
  const walked: string[] = [];
  const position = new Map<string, number>();
  let at = smallest(sources.keys());
  while (!position.has(at)) {
    position.set(at, walked.length);
    walked.push(at);
    at = smallest(sources.get(at)!);
  }
  const ring = walked.slice(position.get(at)).reverse();
  const first = ring.indexOf(smallest(ring));
  return [...ring.slice(first), ...ring.slice(0, first), ring[first]!];
}

/** The first id by code unit of at least one. */
function smallest(ids: Iterable<string>): string {
  let found: string | undefined;
  for (const id of ids) {
    if (found === undefined || compareCodeUnits(id, found) < 0) found = id;
  }
  return found!;
}
