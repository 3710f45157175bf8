import { problemOf } from "../../scripts/demo_answer.ts";
import { toolRequest } from "../../scripts/pack_client.ts";
import { packError } from "../../pack_service/protocol.ts";
import { assertEquals } from "../assert.ts";

const step = {
  title: "A tool answers",
  request: toolRequest("acme.greet", {}),
  expected: "result",
  includes: `"Hello"`,
};

Deno.test("an answer that the demo expects is no problem", () => {
  const message = { v: 2, kind: "result", output: "Hello" } as const;
  assertEquals(problemOf(step, message), undefined);
});

Deno.test("an answer of another kind is named", () => {
  const message = packError("handler-throw", "it threw");
  assertEquals(
    problemOf(step, message),
    "the answer is handler-throw, not result",
  );
});

Deno.test("an answer that says something else is named", () => {
  const message = { v: 2, kind: "result", output: "Bye" } as const;
  assertEquals(problemOf(step, message), `the answer doesn't say "Hello"`);
});
