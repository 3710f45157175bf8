import fc from "fast-check";
import {
  decideEdges,
  indexGraph,
  isGraphDone,
  readyNodes,
} from "../../../agents/flow/mod.ts";
import { GraphScheduler } from "../../../agents/flow/graph_scheduler.ts";
import { assertEquals } from "../../assert.ts";
import { randomDag } from "./random_dag.ts";

Deno.test("scheduling step by step goes the way the rules go", () => {
  fc.assert(fc.property(
    randomDag,
    fc.infiniteStream(fc.boolean()),
    fc.infiniteStream(fc.nat(20)),
    (flow, answers, picks) => {
      const graph = indexGraph(flow);
      const taken = new Map<string, boolean>();
      for (const { id, when } of flow.edges) {
        taken.set(id, when === undefined || answers.next().value);
      }
      const scheduler = new GraphScheduler(graph, ({ id }) => taken.get(id)!);
      const completed = new Set<string>();
      const decided = new Map<string, boolean>();
      for (;;) {
        const conditions = new Map(
          flow.edges.map(({ id, when }) => [when, taken.get(id)!]),
        );
        for (
          const { edgeId, taken } of decideEdges(
            graph,
            { completed, decided },
            (when) => conditions.get(when)!,
          )
        ) decided.set(edgeId, taken);
        const ready = readyNodes(graph, { completed, decided });
        assertEquals([...scheduler.ready], [...ready]);
        assertEquals(
          scheduler.done,
          isGraphDone(graph, { completed, decided }),
        );
        if (ready.length === 0) return;
        const next = ready[picks.next().value % ready.length]!;
        completed.add(next);
        scheduler.complete(next);
      }
    },
  ));
});

Deno.test("a chain of many dead nodes costs no call stack", () => {
  const count = 50_000;
  const nodes = Array.from({ length: count }, (_, index) => ({
    id: `n${index}`,
    kind: "tool" as const,
    ref: "x",
  }));
  const edges = nodes.map(({ id }, index) => ({
    id: `e${index}`,
    from: index === 0 ? "$start" : `n${index - 1}`,
    to: id,
    ...(index === 0
      ? { when: { op: "truthy" as const, value: { literal: false } } }
      : {}),
  }));
  const scheduler = new GraphScheduler(
    indexGraph({ nodes, edges }),
    () => false,
  );
  assertEquals(scheduler.done, true);
});
