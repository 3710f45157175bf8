/** What the terminal commands share. */
import type { ConversationMessage, Timestamp } from "../../agents/mod.ts";
import { readAnswer } from "../../scripts/chat/decision.ts";
import { messageLines } from "../../scripts/chat/turn_lines.ts";
import {
  readModelChoice,
  shownModel,
} from "../../scripts/support/model_choice.ts";
import { importProblem } from "../../scripts/support/model_provider.ts";
import {
  readStorePlace,
  shownPlace,
} from "../../scripts/support/store_place.ts";
import {
  terminalLine,
  terminalText,
} from "../../scripts/support/terminal_text.ts";
import { assertEquals, assertStringIncludes } from "../assert.ts";

Deno.test("only clear answers decide anything", () => {
  assertEquals(readAnswer("a"), { kind: "approve", rationale: undefined });
  assertEquals(readAnswer("  Approve  it is  fine "), {
    kind: "approve",
    rationale: "it is  fine",
  });
  assertEquals(readAnswer("r no"), { kind: "reject", rationale: "no" });
  assertEquals(readAnswer("s"), { kind: "skip" });
  assertEquals(readAnswer("cancel"), { kind: "cancel" });
  for (const line of ["", "yes", "an order", "skip it", "constructor", "c x"]) {
    assertEquals(readAnswer(line), undefined, line);
  }
});

Deno.test("text keeps its lines, and loses what moves a terminal's cursor or turns writing around", () => {
  assertEquals(terminalText("a\tb\r\nc"), "a\tb\nc");
  assertEquals(
    terminalText("\x1b[2J\x07\x7f\x9b\u202e"),
    "\\u001b[2J\\u0007\\u007f\\u009b\\u202e",
  );
  assertEquals(terminalLine("a\n  b", 10), "a b");
  assertEquals(terminalLine("x".repeat(20), 10), `${"x".repeat(9)}…`);
});

Deno.test("text that can't be seen is shown: a reviewer agrees to nothing that is hidden", () => {
  const hidden = "a\u200bb\u2028c\ufeffd\u{e0041}e\u00adf";
  assertEquals(
    terminalText(hidden),
    "a\\u200bb\\u2028c\\ufeffd\\u{e0041}e\\u00adf",
  );
  const joined = "\u{1f469}\u200d\u{1f680} \u0645\u06cc\u200c\u062e";
  assertEquals(terminalText(joined), joined);
});

Deno.test("no half of a character is printed", () => {
  assertEquals(terminalText("a\ud800b"), "a\ufffdb");
  assertEquals(terminalLine("abc\u{1f680}defgh", 5), "abc…");
  assertEquals(terminalLine("abc\u{1f680}defgh", 6), "abc\u{1f680}…");
});

Deno.test("a history shows what a model called, and doesn't obey it", () => {
  const message: ConversationMessage = {
    sequence: 1,
    role: "tool",
    content: "no such tool",
    toolCall: { invocationId: "1", toolId: "\x1b]0;title\x07" },
    createdAt: "2026-12-01T00:00:00.000Z" as Timestamp,
  };
  const [line = ""] = messageLines(message);
  // The arrow before it may be coloured.
  assertStringIncludes(line, " \\u001b]0;title\\u0007 no such tool");
});

Deno.test("a providers' module with packages of its own is told how it can be run", () => {
  const outdated = new Error(
    "The lockfile is out of date. Run `deno install`.\nchanges:\n  5 | + more",
  );
  assertStringIncludes(importProblem(outdated), "--no-lock scripts/chat.ts");
  const coloured = new Error("No such \x1b[36mfile\x1b[0m\n  at x");
  assertEquals(importProblem(coloured), "No such file\n  at x");
});

Deno.test("an empty message is told, and no line is left blank", () => {
  const lines = messageLines({
    sequence: 1,
    role: "agent",
    content: "",
    createdAt: "2026-12-01T00:00:00.000Z" as Timestamp,
  });
  assertStringIncludes(lines.join("\n"), "(an empty message)");
});

Deno.test("a store is a file, a database or memory", () => {
  const place = (where: string) => readStorePlace(where, "/from");
  assertEquals(place("chat.sqlite"), {
    kind: "sqlite",
    path: "/from/chat.sqlite",
  });
  assertEquals(place("sqlite:/a/b"), { kind: "sqlite", path: "/a/b" });
  for (const memory of ["memory", ":memory:", "sqlite::memory:"]) {
    assertEquals(place(memory), { kind: "memory" });
  }
  const url = "postgresql://robin:hush@db/agents";
  assertEquals(place(url), { kind: "postgres", url });
  assertEquals(shownPlace({ kind: "postgres", url }), "postgresql://db/agents");
  for (const wrong of ["", "sqlite:", "mysql://db", "postgres://["]) {
    assertEquals(typeof place(wrong), "string", wrong);
  }
});

Deno.test("a model is one of a server, of a module, or a script", () => {
  const read = (values: Parameters<typeof readModelChoice>[0]) =>
    readModelChoice(values, "/from");
  const url = "http://127.0.0.1:9/v1";
  const server = read({ model: "m-1", "model-url": url });
  assertEquals(server, {
    kind: "server",
    name: "m-1",
    url,
    keyVariable: "KINDGI_MODEL_KEY",
  });
  assertEquals(shownModel(server as never), "m-1 at 127.0.0.1:9");
  assertEquals(read({ providers: "m.ts" }), {
    kind: "module",
    path: "/from/m.ts",
  });
  assertEquals(read({}), { kind: "scripted" });
  assertEquals(read({ model: "scripted" }), { kind: "scripted" });
  assertEquals(
    read({ model: "m-1", "model-url": url, "model-key-env": "NOT_SET_AT_ALL" }),
    "--model-key-env names NOT_SET_AT_ALL, which isn't set",
  );
});
