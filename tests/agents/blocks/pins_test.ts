import fc from "fast-check";
import { pinChanges, pinsDigest } from "../../../agents/mod.ts";
import { assertEquals } from "../../assert.ts";

const GOLDEN =
  "sha256:9c6cc0500541a8d9120df89781d6abb173c249711fda3545b0bb6011327d85cc";
const EMPTY =
  "sha256:a120f19feb39945a5a3f5375e65c6076790591b8cdeda6cef7aec1363282508f";

Deno.test("[85] a digest is that of the canonical JSON, whatever the order of the keys", () => {
  assertEquals(
    pinsDigest({
      tools: {
        "acme.lookup": "1.2.0",
        "acme.score": "2.0.0",
        "acme.ä-tool": "0.1.0",
      },
      prompts: {},
      settings: { "acme.weights": "3.1.4" },
    }),
    GOLDEN,
  );
  assertEquals(
    pinsDigest({
      settings: { "acme.weights": "3.1.4" },
      prompts: {},
      tools: {
        "acme.ä-tool": "0.1.0",
        "acme.score": "2.0.0",
        "acme.lookup": "1.2.0",
      },
    }),
    GOLDEN,
  );
  assertEquals(pinsDigest({ tools: {}, prompts: {}, settings: {} }), EMPTY);
});

Deno.test("keys that JavaScript orders by number are sorted as text", () => {
  assertEquals(
    pinsDigest({
      tools: { "10": "1.0.0", "9": "1.0.0" },
      prompts: {},
      settings: {},
    }),
    pinsDigest({
      tools: { "9": "1.0.0", "10": "1.0.0" },
      prompts: {},
      settings: {},
    }),
  );
});

Deno.test("[86] changes are listed by kind, then id, with what there was and what there is", () => {
  assertEquals(
    pinChanges(
      { tools: { b: "1.0.0", a: "1.0.0" } },
      { tools: { a: "1.1.0" }, settings: { s: "1.0.0" } },
    ),
    [
      { kind: "tool", id: "a", from: "1.0.0", to: "1.1.0" },
      { kind: "tool", id: "b", from: "1.0.0" },
      { kind: "setting", id: "s", to: "1.0.0" },
    ],
  );
  assertEquals(
    pinChanges(undefined, { agents: { x: "1.0.0" }, prompts: { p: "2.0.0" } }),
    [
      { kind: "prompt", id: "p", to: "2.0.0" },
      { kind: "agent", id: "x", to: "1.0.0" },
    ],
  );
});

Deno.test("equal pins don't differ, and a change backwards is the change turned round", () => {
  const versions = fc.dictionary(
    fc.oneof(fc.string(), fc.constantFrom("__proto__", "a", "b")),
    fc.constantFrom("1.0.0", "2.0.0"),
    { maxKeys: 4 },
  );
  const pins = fc.record({ tools: versions, settings: versions });
  fc.assert(
    fc.property(pins, pins, (before, after) => {
      assertEquals(pinChanges(before, before), []);
      const turned = pinChanges(after, before).map((
        { kind, id, from, to },
      ) => ({
        kind,
        id,
        ...(to === undefined ? {} : { from: to }),
        ...(from === undefined ? {} : { to: from }),
      }));
      assertEquals(pinChanges(before, after), turned);
    }),
  );
});
