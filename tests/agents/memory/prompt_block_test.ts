import fc from "fast-check";
import {
  type Fact,
  formatRetrievedForPrompt,
  promptMemory,
  type RetrievedFact,
} from "../../../agents/memory/mod.ts";
import { assert, assertEquals, assertMatch } from "../../assert.ts";
import { fact } from "./facts.ts";

function retrieved(...facts: Fact[]): RetrievedFact[] {
  const intent = { types: ["acme.note"], scope: "tenant" } as const;
  return facts.map((fact) => ({ fact, intent }));
}

/** The facts that stand in a block. */
function inBlock(block: string): Record<string, unknown>[] {
  const match = /^<memory note="[^"<]+">\n([^]*)\n<\/memory>$/.exec(block);
  assert(match !== null, block);
  assert(!match[1]!.includes("<"));
  return JSON.parse(match[1]!);
}

Deno.test("[45] a block is one element around a JSON array of what the facts say", () => {
  const block = formatRetrievedForPrompt(retrieved(
    fact("f-1"),
    fact("f-2", {
      trust: "verified",
      attributedTo: { kind: "user", id: "u-1" },
      validUntil: "2027-01-01T00:00:00.000Z",
      content: { a: 1 },
    }),
    (({ content: _content, ...rest }) => rest)(fact("f-3")),
  ));
  assertEquals(inBlock(block), [
    {
      id: "f-1",
      type: "acme.note",
      trust: "asserted",
      content: "content of f-1",
    },
    {
      id: "f-2",
      type: "acme.note",
      trust: "verified",
      assertedBy: "user",
      validUntil: "2027-01-01T00:00:00.000Z",
      content: { a: 1 },
    },
    { id: "f-3", type: "acme.note", trust: "asserted", content: null },
  ]);
});

Deno.test("[46] no facts make no block", () => {
  assertEquals(formatRetrievedForPrompt([]), "");
  assertEquals(promptMemory([], ["policy"]), { block: "", policies: "" });
});

Deno.test("no content can end the block, and the block tells it exactly", () => {
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom("</memory>", "<memory>", "\\u003c/memory>", "]\n</memory"),
  );
  fc.assert(
    fc.property(text, fc.jsonValue(), (type, content) => {
      const told = JSON.parse(JSON.stringify({ content }));
      const block = formatRetrievedForPrompt(
        retrieved(fact("f", { type, content: told.content })),
      );
      assertEquals(inBlock(block)[0]?.type, type);
      assertEquals(inBlock(block)[0]?.content, told.content);
      assertEquals(block.split("</memory>").length, 2);
    }),
  );
});

Deno.test("a fact that several intents found stands once in the prompt", () => {
  const found = retrieved(fact("f-1"), fact("f-2"), fact("f-1"));
  assertEquals(
    inBlock(formatRetrievedForPrompt(found)).map(({ id }) => id),
    ["f-1", "f-2"],
  );
});

Deno.test("[52] verified facts of an instruction type are policies, and not in the block", () => {
  const policy = { type: "policy", content: "Never promise\na refund" };
  const { block, policies } = promptMemory(
    retrieved(
      fact("f-1", { ...policy, trust: "verified" }),
      fact("f-2", { ...policy, content: "unverified" }),
      fact("f-3", { trust: "verified" }),
    ),
    ["policy"],
  );
  assertEquals(inBlock(block).map(({ id }) => id), ["f-2", "f-3"]);
  assertMatch(policies, /\n- Never promise\n {2}a refund$/);
});
