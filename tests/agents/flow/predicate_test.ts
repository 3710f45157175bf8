import fc from "fast-check";
import {
  evaluatePredicate,
  MISSING,
  type Operand,
  type OperandScope,
  type Predicate,
  resolveMapping,
  resolveOperand,
} from "../../../agents/flow/mod.ts";
import { assert, assertEquals } from "../../assert.ts";

const scope: OperandScope = {
  runInput: { name: "Ada", tags: ["x", "y"], none: null, gone: undefined },
  state: { count: 3 },
  nodeOutputs: { first: { score: 0.5, text: "" } },
};
const at = (path: string): Operand => ({ path });
const of = (literal: unknown): Operand => ({ literal });
const nowhere = at("state.nowhere");

Deno.test("a path is followed through own keys of objects, and is missing anywhere else", () => {
  const cases: readonly (readonly [string, unknown])[] = [
    ["runInput.name", "Ada"],
    ["runInput", scope.runInput],
    ["state.count", 3],
    ["nodeOutputs.first.score", 0.5],
    ["runInput.tags", ["x", "y"]],
    ["runInput.none", null],
    ["runInput.gone", MISSING],
    ["runInput.tags.0", MISSING],
    ["runInput.tags.length", MISSING],
    ["runInput.name.length", MISSING],
    ["runInput.none.x", MISSING],
    ["runInput.toString", MISSING],
    ["runInput.__proto__", MISSING],
    ["state.constructor.name", MISSING],
    ["nodeOutputs.second", MISSING],
    ["iterationIndex", MISSING],
    ["iterationOutput.done", MISSING],
    ["", MISSING],
  ];
  for (const [path, value] of cases) {
    assertEquals(resolveOperand(at(path), scope), value, path);
  }
});

Deno.test("in an exit condition the iteration's number and output are values too", () => {
  const inLoop = {
    ...scope,
    iterationIndex: 0,
    iterationOutput: { done: true },
  };
  assertEquals(resolveOperand(at("iterationIndex"), inLoop), 0);
  assertEquals(resolveOperand(at("iterationOutput.done"), inLoop), true);
});

Deno.test("a mapping leaves out keys whose path is missing, and only those", () => {
  assertEquals(
    resolveMapping({
      name: at("runInput.name"),
      none: at("runInput.none"),
      nothing: nowhere,
      literal: of([1]),
    }, scope),
    { name: "Ada", none: null, literal: [1] },
  );
});

Deno.test("a mapping's key named __proto__ is a key like any other", () => {
  const mapping = JSON.parse('{"__proto__":{"literal":{"polluted":true}}}');
  const made = resolveMapping(mapping, scope);
  assertEquals(Object.keys(made), ["__proto__"]);
  assertEquals(Object.getPrototypeOf(made), Object.prototype);
});

Deno.test("every operator answers as its row says, missing values included", () => {
  const name = at("runInput.name");
  const none = at("runInput.none");
  const tags = at("runInput.tags");
  const table: readonly (readonly [Predicate, boolean])[] = [
    [{ op: "eq", left: name, right: of("Ada") }, true],
    [
      { op: "eq", left: of({ a: 1, b: [2] }), right: of({ b: [2], a: 1 }) },
      true,
    ],
    [{ op: "eq", left: of([1, 2]), right: of([2, 1]) }, false],
    [{ op: "eq", left: of(1), right: of("1") }, false],
    [{ op: "eq", left: none, right: of(null) }, true],
    [{ op: "eq", left: none, right: nowhere }, false],
    [{ op: "eq", left: nowhere, right: nowhere }, false],
    [{ op: "eq", left: of([]), right: of({}) }, false],
    [{ op: "ne", left: name, right: of("Bob") }, true],
    [{ op: "ne", left: name, right: of("Ada") }, false],
    [{ op: "ne", left: nowhere, right: name }, true],
    [{ op: "ne", left: name, right: nowhere }, true],
    [{ op: "ne", left: nowhere, right: nowhere }, false],
    [{ op: "lt", left: of(1), right: of(2) }, true],
    [{ op: "lt", left: of(2), right: of(2) }, false],
    [{ op: "lte", left: of(2), right: of(2) }, true],
    [{ op: "gt", left: of("b"), right: of("a") }, true],
    [{ op: "gt", left: of("Z"), right: of("a") }, false],
    [{ op: "gte", left: of("a"), right: of("a") }, true],
    [{ op: "gte", left: of(2), right: of(3) }, false],
    [{ op: "lt", left: of("1"), right: of(2) }, false],
    [{ op: "lte", left: of(null), right: of(null) }, false],
    [{ op: "gte", left: of([1]), right: of([1]) }, false],
    [{ op: "lte", left: of(true), right: of(true) }, false],
    [{ op: "lt", left: nowhere, right: of(2) }, false],
    [{ op: "gte", left: of(2), right: nowhere }, false],
    [{ op: "in", value: of("x"), set: tags }, true],
    [{ op: "in", value: of("z"), set: tags }, false],
    [{ op: "in", value: of({ a: 1 }), set: of([{ a: 1 }]) }, true],
    [{ op: "notIn", value: of("z"), set: tags }, true],
    [{ op: "notIn", value: of("x"), set: tags }, false],
    [{ op: "in", value: of("x"), set: nowhere }, false],
    [{ op: "notIn", value: of("x"), set: nowhere }, false],
    [{ op: "notIn", value: nowhere, set: tags }, false],
    [{ op: "notIn", value: of("x"), set: of("xyz") }, false],
    [{ op: "in", value: of("x"), set: of({ x: 1 }) }, false],
    [{ op: "exists", value: none }, true],
    [{ op: "exists", value: nowhere }, false],
    [{ op: "notExists", value: nowhere }, true],
    [{ op: "notExists", value: none }, false],
    [{ op: "truthy", value: of("0") }, true],
    [{ op: "truthy", value: of([]) }, true],
    [{ op: "truthy", value: at("nodeOutputs.first.text") }, false],
    [{ op: "truthy", value: nowhere }, false],
    [{ op: "falsy", value: of(0) }, true],
    [{ op: "falsy", value: none }, true],
    [{ op: "falsy", value: nowhere }, true],
    [{ op: "falsy", value: name }, false],
    [{ op: "not", child: { op: "exists", value: nowhere } }, true],
    [{
      op: "and",
      children: [{ op: "exists", value: name }, { op: "falsy", value: name }],
    }, false],
    [{
      op: "or",
      children: [{ op: "falsy", value: name }, { op: "exists", value: name }],
    }, true],
  ];
  for (const [predicate, holds] of table) {
    assertEquals(
      evaluatePredicate(predicate, scope),
      holds,
      JSON.stringify(predicate),
    );
  }
});

Deno.test("values nested far too deep for recursion, or within themselves, are still compared", () => {
  const nested = (leaf: number) => {
    let value: unknown = leaf;
    for (let i = 0; i < 200_000; i++) value = i % 2 ? [value] : { value };
    return value;
  };
  const eq = (left: unknown, right: unknown) =>
    evaluatePredicate({ op: "eq", left: of(left), right: of(right) }, scope);
  assert(eq(nested(1), nested(1)));
  assert(!eq(nested(1), nested(2)));

  const ring = (label: string) => {
    const value: Record<string, unknown> = { label };
    value.self = value;
    return value;
  };
  assert(eq(ring("a"), ring("a")));
  assert(!eq(ring("a"), ring("b")));
});

const path = fc.oneof(
  fc.constantFrom(
    "runInput",
    "state.a",
    "nodeOutputs.a.b",
    "iterationIndex",
    "iterationOutput.a",
    "runInput.__proto__",
  ),
  fc.string(),
);
const operand: fc.Arbitrary<Operand> = fc.oneof(
  fc.jsonValue().map((literal) => ({ literal })),
  path.map((path) => ({ path })),
);
const { predicate } = fc.letrec<{ predicate: Predicate }>((tie) => ({
  predicate: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    fc.record({
      op: fc.constantFrom("eq", "ne", "lt", "lte", "gt", "gte"),
      left: operand,
      right: operand,
    }),
    fc.record({
      op: fc.constantFrom("in", "notIn"),
      value: operand,
      set: operand,
    }),
    fc.record({
      op: fc.constantFrom("exists", "notExists", "truthy", "falsy"),
      value: operand,
    }),
    fc.record({
      op: fc.constantFrom("and", "or"),
      children: fc.array(tie("predicate"), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ op: fc.constant("not" as const), child: tie("predicate") }),
  ),
}));
const anyScope: fc.Arbitrary<OperandScope> = fc.record({
  runInput: fc.jsonValue(),
  state: fc.jsonValue(),
  nodeOutputs: fc.dictionary(fc.constantFrom("a", "b"), fc.jsonValue()),
});

Deno.test("evaluating any predicate over any values answers a boolean, the same one each time", () => {
  fc.assert(fc.property(predicate, anyScope, (predicate, scope) => {
    const before = JSON.stringify([predicate, scope]);
    const answer = evaluatePredicate(predicate, scope);
    assert(typeof answer === "boolean");
    assertEquals(evaluatePredicate(predicate, scope), answer);
    assertEquals(JSON.stringify([predicate, scope]), before);
  }));
});

Deno.test("values are equal exactly when they are written the same, whatever the order of keys", () => {
  const shuffled = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(shuffled)
      : typeof value === "object" && value !== null
      ? Object.fromEntries(
        Object.entries(value).reverse().map(([key, item]) => [
          key,
          shuffled(item),
        ]),
      )
      : value;
  const eq = (left: unknown, right: unknown) =>
    evaluatePredicate({ op: "eq", left: of(left), right: of(right) }, scope);
  fc.assert(fc.property(fc.jsonValue(), (value) => {
    assert(eq(value, JSON.parse(JSON.stringify(value))));
    assert(eq(value, shuffled(value)));
    assert(!eq(value, [value]));
    assert(!eq([value], [value, value]));
  }));
});

Deno.test("a negated predicate is the opposite, and joined ones follow De Morgan", () => {
  const not = (child: Predicate): Predicate => ({ op: "not", child });
  fc.assert(fc.property(predicate, predicate, anyScope, (a, b, scope) => {
    const holds = (predicate: Predicate) => evaluatePredicate(predicate, scope);
    assertEquals(holds(not(a)), !holds(a));
    assertEquals(
      holds(not({ op: "and", children: [a, b] })),
      holds({ op: "or", children: [not(a), not(b)] }),
    );
  }));
});
