/** Random flows without cycles. */
import fc from "fast-check";
import type { Flow } from "../../../agents/flow/mod.ts";
import { edge, tool } from "./flows.ts";

/**
 * A flow of 1 to 12 tools whose edges go from lower to higher numbers, with at least one from `$start`; some edges ask
 * `state.<edge id>`, some carry a priority.
 */
export const randomDag: fc.Arbitrary<Flow> = fc.integer({ min: 1, max: 12 })
  .chain((count) =>
    fc.record({
      starts: fc.uniqueArray(fc.nat(count - 1), { minLength: 1 }),
      ends: fc.uniqueArray(fc.nat(count - 1)),
      pairs: fc.uniqueArray(
        fc.tuple(fc.nat(count - 1), fc.nat(count - 1)),
        { maxLength: 3 * count, selector: ([a, b]) => `${a} ${b}` },
      ),
      conditional: fc.infiniteStream(fc.boolean()),
      priorities: fc.infiniteStream(
        fc.option(fc.integer({ min: -100, max: 100 })),
      ),
    }).map(({ starts, ends, pairs, conditional, priorities }) => {
      const extras = (id: string) => {
        const priority = priorities.next().value;
        return {
          id,
          ...(conditional.next().value
            ? { when: { op: "truthy", value: { path: `state.${id}` } } }
            : {}),
          ...(priority === null ? {} : { policy: { priority } }),
        };
      };
      const stops = [
        ...starts.map((to) => ["$start", `n${to}`] as const),
        ...pairs.filter(([a, b]) => a !== b).map(([a, b]) =>
          [`n${Math.min(a, b)}`, `n${Math.max(a, b)}`] as const
        ),
        ...ends.map((from) => [`n${from}`, "$end"] as const),
      ];
      return {
        id: "random",
        version: "1.0.0",
        nodes: Array.from({ length: count }, (_, index) => tool(`n${index}`)),
        edges: stops.map(([from, to], index) =>
          edge(from, to, extras(`e${index}`))
        ),
      };
    })
  );
