import fc from "fast-check";
import {
  decideEdges,
  type EdgeDecision,
  type Flow,
  type Graph,
  type GraphProgress,
  indexGraph,
  isGraphDone,
  nodePolicy,
  nodeStanding,
  type Predicate,
  readyNodes,
} from "../../../agents/flow/mod.ts";
import { assert, assertEquals } from "../../assert.ts";
import { bodyOf, chain, edge, tool } from "./flows.ts";
import { randomDag } from "./random_dag.ts";

const when: Predicate = { op: "truthy", value: { path: "state.go" } };

/** A graph being run step by step, as a run binding would. */
class Walk {
  readonly #graph;
  readonly #holds;
  readonly completed = new Set<string>();
  readonly decided = new Map<string, boolean>();

  constructor(graph: Graph, holds: (when: Predicate) => boolean = () => true) {
    this.#graph = indexGraph(graph);
    this.#holds = holds;
  }

  /** Decides what can be decided now and answers it. */
  decide(): readonly EdgeDecision[] {
    const decisions = decideEdges(this.#graph, this, this.#holds);
    for (const { edgeId, taken } of decisions) {
      assert(!this.decided.has(edgeId), `${edgeId} was decided twice`);
      this.decided.set(edgeId, taken);
    }
    return decisions;
  }

  complete(nodeId: string): void {
    assert(this.ready().includes(nodeId), `${nodeId} isn't ready`);
    this.completed.add(nodeId);
    this.decide();
  }

  ready(): readonly string[] {
    return readyNodes(this.#graph, this);
  }

  standing(nodeId: string): string {
    return nodeStanding(this.#graph, this, nodeId);
  }

  get done(): boolean {
    return isGraphDone(this.#graph, this);
  }
}

/** A fork after `a` into `yes` (if `state.go`) and `no` (if not), joined again in `join`. */
const fork = chain(
  [tool("a"), tool("yes"), tool("no"), tool("after-no"), tool("join")],
  {
    edges: [
      edge("$start", "a"),
      edge("a", "yes", { when }),
      edge("a", "no", { when: { op: "not", child: when } }),
      edge("no", "after-no"),
      edge("yes", "join"),
      edge("after-no", "join"),
      edge("join", "$end"),
    ],
  },
);

Deno.test("a branch that isn't taken dies to its end, and the other one rejoins without it", () => {
  const walk = new Walk(fork, (predicate) => predicate === when);
  walk.decide();
  assertEquals(walk.ready(), ["a"]);
  assertEquals(walk.standing("join"), "waiting");
  walk.complete("a");
  assertEquals(walk.ready(), ["yes"]);
  assertEquals(walk.standing("no"), "dead");
  assertEquals(walk.standing("after-no"), "dead");
  assertEquals(walk.decided.get("after-no>join"), false);
  assertEquals(walk.standing("join"), "waiting");
  walk.complete("yes");
  assertEquals(walk.ready(), ["join"]);
  assert(!walk.done);
  walk.complete("join");
  assert(walk.done);
  assertEquals(walk.decided.get("join>$end"), true);
});

Deno.test("a join waits for every branch that is still alive", () => {
  const walk = new Walk(fork);
  walk.decide();
  walk.complete("a");
  assertEquals(walk.ready(), ["no", "yes"]);
  walk.complete("yes");
  assertEquals(walk.ready(), ["no"]);
  walk.complete("no");
  walk.complete("after-no");
  assertEquals(walk.ready(), ["join"]);
});

Deno.test("when nothing leads on, everything behind is dead and the graph is done", () => {
  const walk = new Walk(fork, () => false);
  walk.decide();
  walk.complete("a");
  assertEquals(walk.ready(), []);
  assert(walk.done);
  assertEquals(walk.standing("join"), "dead");
});

Deno.test("a node that no edge leads to is dead, and what hangs on it too", () => {
  const walk = new Walk(chain([tool("a"), tool("island"), tool("shore")], {
    edges: [edge("$start", "a"), edge("island", "shore")],
  }));
  walk.decide();
  assertEquals(walk.standing("island"), "dead");
  assertEquals(walk.standing("shore"), "dead");
  assertEquals(walk.ready(), ["a"]);
});

Deno.test("a condition on an edge from the start is asked like any other", () => {
  const asked: Predicate[] = [];
  const walk = new Walk(
    chain([tool("a")], { edges: [edge("$start", "a", { when })] }),
    (predicate) => {
      asked.push(predicate);
      return false;
    },
  );
  assertEquals(walk.decide(), [{ edgeId: "$start>a", taken: false }]);
  assertEquals(walk.decide(), []);
  assertEquals(asked, [when]);
  assert(walk.done);
});

Deno.test("a loop's body is scheduled from $loop-start", () => {
  const walk = new Walk(bodyOf("step"));
  walk.decide();
  assertEquals(walk.ready(), ["step"]);
  walk.complete("step");
  assert(walk.done);
});

Deno.test("ready nodes go by priority, then by the code units of their ids", () => {
  const first = (id: string, priority?: number) =>
    edge("$start", id, priority === undefined ? {} : { policy: { priority } });
  const ids = ["b", "a", "B", "late", "early", "joined"];
  const flow = chain(ids.map((id) => tool(id)), {
    edges: [
      first("b"),
      first("a", 0),
      first("B"),
      first("late", -100),
      first("early", 100),
      first("joined", 100),
      edge("$start", "joined", { id: "second" }),
    ],
  });
  const walk = new Walk(flow);
  walk.decide();
  assertEquals(walk.ready(), ["early", "B", "a", "b", "joined", "late"]);
});

Deno.test("a policy counts only on the sole edge into a node", () => {
  const policy = { timeoutMs: 5 };
  const graph = indexGraph(chain([tool("a"), tool("b")], {
    edges: [
      edge("$start", "a", { policy }),
      edge("$start", "b", { policy }),
      edge("a", "b"),
    ],
  }));
  assertEquals(nodePolicy(graph, "a"), policy);
  assertEquals(nodePolicy(graph, "b"), undefined);
});

Deno.test("a graph of twenty thousand nodes in a row dies in one pass", () => {
  const flow = chain(
    Array.from({ length: 20_000 }, (_, index) => tool(`n${index}`)),
  );
  const walk = new Walk(
    { ...flow, edges: [{ ...flow.edges[0]!, when }, ...flow.edges.slice(1)] },
    () => false,
  );
  assertEquals(walk.decide().length, 20_001);
  assert(walk.done);
});

/** The ids that taken edges lead to from the start: what has to have run, worked out another way. */
function reached(flow: Flow, holds: (when: Predicate) => boolean): string[] {
  const found = new Set(["$start"]);
  for (const _ of flow.nodes) {
    for (const { from, to, when } of flow.edges) {
      if (found.has(from) && (when === undefined || holds(when))) found.add(to);
    }
  }
  return flow.nodes.map((node) => node.id).filter((id) => found.has(id)).sort();
}

const conditions = fc.func<[string], boolean>(fc.boolean()).map(
  (answer) => (when: Predicate) => answer(JSON.stringify(when)),
);

Deno.test("however nodes complete, each ends completed or dead, and exactly those run that taken edges lead to", () => {
  const picks = fc.infiniteStream(fc.nat());
  fc.assert(
    fc.property(randomDag, conditions, picks, fc.integer({ min: 1, max: 8 }), (
      flow,
      holds,
      picks,
      maxParallelism,
    ) => {
      const walk = new Walk(flow, holds);
      walk.decide();
      const running = new Set<string>();
      for (;;) {
        for (const id of walk.ready()) {
          if (running.size < maxParallelism) running.add(id);
        }
        if (running.size === 0) break;
        for (const id of running) {
          const into = flow.edges.filter((edge) => edge.to === id);
          assert(into.every((edge) => walk.decided.has(edge.id)));
          assert(into.some((edge) => walk.decided.get(edge.id)));
        }
        const next = [...running][picks.next().value % running.size]!;
        running.delete(next);
        walk.complete(next);
      }
      assert(walk.done);
      assertEquals(walk.decided.size, flow.edges.length);
      assertEquals([...walk.completed].sort(), reached(flow, holds));
      for (const { id } of flow.nodes) {
        assertEquals(
          walk.standing(id),
          walk.completed.has(id) ? "completed" : "dead",
        );
      }
    }),
  );
});

Deno.test("the order in which a graph lists its nodes and edges changes neither decisions nor the next nodes", () => {
  fc.assert(fc.property(randomDag, conditions, (flow, holds) => {
    const walks = [
      new Walk(flow, holds),
      new Walk({
        nodes: [...flow.nodes].reverse(),
        edges: [...flow.edges].reverse(),
      }, holds),
    ] as const;
    for (const walk of walks) walk.decide();
    for (let next = walks[0].ready()[0]; next; next = walks[0].ready()[0]) {
      assertEquals(walks[0].ready(), walks[1].ready());
      for (const walk of walks) walk.complete(next);
      const sorted = ({ decided }: GraphProgress) => [...decided].sort();
      assertEquals(sorted(walks[0]), sorted(walks[1]));
    }
    assert(walks[0].done && walks[1].done);
  }));
});

Deno.test("deciding looks at nothing but what it is given, and changes none of it", () => {
  fc.assert(fc.property(randomDag, conditions, (flow, holds) => {
    const graph = indexGraph(flow);
    const progress = { completed: new Set<string>(), decided: new Map() };
    const once = decideEdges(graph, progress, holds);
    assertEquals(decideEdges(graph, progress, holds), once);
    assertEquals(progress.decided.size, 0);
  }));
});
