import { fileURLToPath } from "node:url";
import { TOKEN } from "../pack_service/support/demo_pack.ts";
import { ServiceProcess } from "../pack_service/support/service_process.ts";
import { assertEquals, assertMatch, assertStringIncludes } from "../assert.ts";
import { AgentPack } from "./agent_pack.ts";
import { CommandProcess } from "./command_process.ts";
import { type Ended, runScript } from "./script.ts";

const SUPPORT = fileURLToPath(
  new URL("../../examples/support_pack", import.meta.url),
);
const REFUND =
  `support.refund_order {"orderId": "A-10042", "amountCents": 1200, "reason": "scratched"}`;

/** Runs a chat whose input is these lines, to its end. */
async function chatted(
  lines: readonly string[],
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  await using chat = new CommandProcess("chat", { args, env });
  for (const line of lines) await chat.type(line);
  const code = await chat.end();
  return { code, stdout: chat.stdout, stderr: chat.stderr };
}

/** The arguments of a chat with the test's own pack, models and store. */
function argumentsOf(pack: AgentPack, more: readonly string[] = []): string[] {
  return [
    ...["--pack-dir", pack.packDir],
    ...["--providers", pack.models],
    ...["--store", pack.store],
    ...more,
  ];
}

function conversationOf({ stdout }: { readonly stdout: string }): string {
  return /conversation (\S+)/.exec(stdout)?.[1] ?? "";
}

Deno.test("a chat through a pipe: tools, an approval, a rejection, plain text", async () => {
  const ledger = await Deno.makeTempDir();
  try {
    const { code, stdout } = await chatted(
      [
        "hello",
        `support.find_order {"orderId": "A-10042"}`,
        REFUND,
        "a the photo shows it",
        REFUND,
        "reject once is enough",
        "",
        "/history 2",
      ],
      ["--pack-dir", SUPPORT, "--reviewer", "robin"],
      { SUPPORT_LEDGER_DIR: ledger },
    );
    assertEquals(code, 0);
    for (
      const line of [
        "Support helper (support.helper 1.0.0) of pack support 1.0.0",
        "no model: a script answers",
        "kept in memory until the end",
        "› hello",
        "I am a script, no model.",
        `→ support.find_order {"orderId":"A-10042"}`,
        "2 model calls, 20 + 10 tokens",
        "‖ Let Support helper call support.refund_order? (senior or higher)",
        "  approved",
        `The tool answered: {"refundId":`,
        "  rejected",
        `The tool answered: {"status":"rejected","rationale":"once is enough"}`,
        "earlier messages: /history N shows more",
      ]
    ) assertStringIncludes(stdout, line);
    const [file] = await Array.fromAsync(Deno.readDir(ledger));
    const refunds = await Deno.readTextFile(`${ledger}/${file!.name}`);
    assertEquals(refunds.split("refundId").length, 2);
    // deno-lint-ignore no-control-regex -- that is what colours are
    assertEquals(/\x1b/.test(stdout), false);
  } finally {
    await Deno.remove(ledger, { recursive: true });
  }
});

Deno.test("a line that is no answer leaves the question open, and is the next message", async () => {
  const { code, stdout } = await chatted([REFUND, "another thing", "/cancel"], [
    ...["--pack-dir", SUPPORT],
  ]);
  assertEquals(code, 0);
  assertStringIncludes(stdout, "the turn waits: /approvals asks again");
  assertStringIncludes(stdout, "› another thing");
  assertStringIncludes(stdout, "the turn is cancelled");
});

Deno.test("what a pipe's last turn came to is the exit code", async () => {
  await using pack = await AgentPack.write();
  const failed = await chatted(["hello", "fail"], argumentsOf(pack), pack.env);
  assertEquals(failed.code, 1);
  assertStringIncludes(failed.stdout, "You said: hello");
  assertMatch(failed.stdout, /✗ model-invocation-failed: .*told to fail/);
  const mended = await chatted(["fail", "hello"], argumentsOf(pack), pack.env);
  assertEquals(mended.code, 0);
  const waiting = await chatted([REFUND], ["--pack-dir", SUPPORT]);
  assertEquals(waiting.code, 3);
});

Deno.test("a conversation goes on where it was: its messages are shown, and --new opens another", async () => {
  await using pack = await AgentPack.write();
  const first = await chatted(["hello", "note A"], argumentsOf(pack), pack.env);
  assertEquals(first.code, 0);
  const conversation = conversationOf(first);
  const second = await chatted(["bye"], argumentsOf(pack), pack.env);
  assertStringIncludes(second.stdout, `conversation ${conversation} goes on`);
  const shown = second.stdout.slice(second.stdout.indexOf("goes on"));
  for (
    const line of [
      "› hello\nYou said: hello\n",
      `› note A\n  → acme.note {"note":"A"}\n  ← acme.note {"executionId":`,
      "noted A\n› bye\n",
      "You said: bye\n",
    ]
  ) assertStringIncludes(shown, line);
  const third = await chatted([], argumentsOf(pack, ["--new"]), pack.env);
  assertEquals(third.stdout.includes("hello"), false);
  const named = await chatted(
    ["/history 1"],
    argumentsOf(pack, ["--conversation", conversation]),
    pack.env,
  );
  assertStringIncludes(named.stdout, "You said: bye\n  7 earlier messages");
  assertStringIncludes(second.stdout, `kept in ${pack.store}`);
});

for (const signal of ["SIGKILL", "SIGINT"] as const) {
  Deno.test(`after ${signal} in the middle of a turn, the next chat takes it further`, async () => {
    await using pack = await AgentPack.write();
    const args = argumentsOf(pack);
    {
      await using chat = new CommandProcess("chat", { args, env: pack.env });
      await chat.type("note A");
      await chat.until("noted A");
      await chat.type("wait");
      await chat.until("asks told/told-1", 3);
      chat.kill(signal);
      assertEquals(await chat.ended, signal === "SIGINT" ? 130 : 137);
      if (signal === "SIGINT") {
        assertStringIncludes(chat.stderr, "the turn goes on the next time");
      }
    }
    await pack.openGate();
    const { code, stdout } = await chatted(["/history"], args, pack.env);
    assertEquals(code, 0, stdout);
    assertMatch(
      stdout,
      /› wait\n(.*waiting until it lets go.*\n)?.*\nwaited\n/,
    );
    // Once in the history and once as the turn ended; the note was kept once.
    assertEquals(stdout.split("› wait\n").length, 3);
    assertEquals((await pack.ledger()).length, 1);
  });
}

Deno.test("a turn that waits is decided elsewhere, and goes on with the next chat", async () => {
  await using pack = await AgentPack.write({
    hitl: { tools: { overrides: { "acme.note": "always_ask" } } },
  });
  const args = argumentsOf(pack);
  const parked = await chatted(["note A"], args, pack.env);
  assertEquals(parked.code, 3);
  assertStringIncludes(parked.stdout, `{"note":"A"}`);
  const store = ["--store", pack.store];
  const listed = await runScript("approvals", [...store, "--json"]);
  const [{ id }] = JSON.parse(listed.stdout);
  const decided = await runScript("approvals", ["approve", id, ...store]);
  assertEquals(decided.code, 0, decided.stderr);
  assertStringIncludes(
    decided.stdout,
    `deno task chat --conversation ${conversationOf(parked)}`,
  );
  const next = await chatted([], args, pack.env);
  assertEquals(next.code, 0);
  assertStringIncludes(next.stdout, "noted A");
  assertEquals((await pack.ledger()).map(({ note }) => note), ["A"]);
});

Deno.test("a role that is too low decides nothing", async () => {
  const { code, stdout } = await chatted([REFUND, "a"], [
    ...["--pack-dir", SUPPORT, "--role", "standard"],
  ]);
  assertEquals(code, 3);
  assertMatch(stdout, /✗ Cannot approve .* role senior or higher/);
});

Deno.test("the commands of a chat", async () => {
  await using pack = await AgentPack.write();
  const { code, stdout } = await chatted(
    ["/help", "/none", "/history x", "/cancel", "/approvals", "//say", "/quit"],
    argumentsOf(pack),
    pack.env,
  );
  assertEquals(code, 0);
  for (
    const line of [
      "/history [N]",
      "/none is no command; /help lists them",
      "x is no number of messages",
      "every turn has ended",
      "no turn waits",
      "You said: /say",
    ]
  ) assertStringIncludes(stdout, line);
});

Deno.test("what a model says can't take over the terminal", async () => {
  await using pack = await AgentPack.write();
  const { stdout } = await chatted(
    ["\x1b]0;title\x07\x1b[2J"],
    argumentsOf(pack),
    pack.env,
  );
  assertStringIncludes(stdout, "You said: \\u001b]0;title\\u0007\\u001b[2J");
});

Deno.test("a pack without an index is indexed elsewhere, and its instructions get the parameters", async () => {
  await using pack = await AgentPack.write({}, { index: false });
  const { code } = await chatted(
    ["hello"],
    argumentsOf(pack, ["--parameter", "firm=Widgets"]),
    pack.env,
  );
  assertEquals(code, 0);
  const files = await Array.fromAsync(Deno.readDir(pack.packDir));
  assertEquals(files.map(({ name }) => name).sort(), [
    "agents",
    "kindgi.config.mjs",
    "tools",
  ]);
});

Deno.test("a service that runs already is used", async () => {
  await using service = await ServiceProcess.start({
    index: `${SUPPORT}/index.json`,
  });
  const { code, stdout } = await chatted(
    [`support.find_order {"orderId": "A-10042"}`],
    ["--pack-dir", SUPPORT, "--url", `http://127.0.0.1:${service.port}`],
    { KINDGI_PACK_SERVICE_TOKEN: TOKEN },
  );
  assertEquals(code, 0);
  assertStringIncludes(stdout, "Mara Lindqvist");
  const untold = await chatted([], [
    ...["--pack-dir", SUPPORT, "--url", `http://127.0.0.1:${service.port}`],
  ]);
  assertEquals(untold.code, 1);
  assertStringIncludes(untold.stderr, "KINDGI_PACK_SERVICE_TOKEN");
});

Deno.test("what answers in a service's place can't take over the terminal, and isn't taken for one", async () => {
  const answers = [
    () => new Response("\x1b]0;title\x07 no", { status: 403 }),
    () => Response.json(null),
    () => Response.json({ packId: "\x1b[2J", packVersion: "1.0.0" }),
  ];
  let asked = 0;
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    () => answers[asked++]!(),
  );
  const problems = [
    "refused the request with status 403: \\u001b]0;title\\u0007 no",
    "doesn't answer as a pack service does",
    "it serves \\u001b[2J 1.0.0, not support 1.0.0",
  ];
  for (const problem of problems) {
    const { code, stderr } = await chatted([], [
      ...["--pack-dir", SUPPORT],
      ...["--url", `http://127.0.0.1:${server.addr.port}`],
    ], { KINDGI_PACK_SERVICE_TOKEN: TOKEN });
    assertEquals(code, 1);
    assertStringIncludes(stderr, problem);
  }
});

Deno.test("a command line that makes no sense ends with 2 and says what is wrong", async () => {
  const pack = ["--pack-dir", SUPPORT];
  const cases: readonly (readonly [readonly string[], string])[] = [
    [[], "--pack-dir is missing"],
    [[...pack, "--fast"], "--fast"],
    [[...pack, "--new", "--conversation", "c-1"], "either"],
    [[...pack, "--role", "boss"], `got "boss"`],
    [[...pack, "--parameter", "firm"], "NAME=VALUE"],
    [[...pack, "--model", "m-1"], "--model-url"],
    [[...pack, "--model", "m-1", "--model-url", "here"], "http://"],
    [[...pack, "--model-url", "http://127.0.0.1:9"], "--model"],
    [[...pack, "--model", "m-1", "--providers", "m.ts"], "either"],
    [[...pack, "--store", "mysql://db/agents"], "mysql"],
    [[...pack, "--store", ""], "empty"],
    [[...pack, "--tenant", ""], "--tenant is empty"],
    [[...pack, "--reviewer", " "], "--reviewer is empty"],
    [["--pack-dir", ""], "--pack-dir is empty"],
  ];
  await Promise.all(cases.map(async ([args, problem]) => {
    const { code, stdout, stderr } = await runScript("chat", args);
    assertEquals(code, 2, stderr);
    assertEquals(stdout, "");
    assertMatch(stderr, /^chat: .*--help says more\n$/);
    assertStringIncludes(stderr, problem);
  }));
});

Deno.test("a chat that can't start ends with 1 and says why", async () => {
  await using pack = await AgentPack.write();
  const support = ["--pack-dir", SUPPORT];
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [["--pack-dir", `${pack.folder}/none`], /no such folder/],
    [["--pack-dir", pack.folder], /isn't indexed: .*kindgi\.config/],
    [
      [...support, "--agent", "acme.none"],
      /no agent acme\.none; it has support\.helper/,
    ],
    [[...support, "--conversation", "c-1"], /c-1/],
    [[...support, "--parameter", "size=3"], /no parameter size; it has shop/],
    [[...support, "--store", `${pack.folder}/none/a.sqlite`], /no such folder/],
    [[...support, "--providers", `${pack.folder}/none.ts`], /none\.ts/],
    [
      [...support, "--providers", `${SUPPORT}/kindgi.config.ts`],
      /no model provider/,
    ],
  ];
  for (const [args, problem] of cases) {
    const { code, stderr } = await runScript("chat", args);
    assertEquals(code, 1, stderr);
    assertMatch(stderr, /^chat: /m);
    assertMatch(stderr, problem);
  }
});

Deno.test("the help of a chat", async () => {
  const { code, stdout } = await runScript("chat", ["--help"]);
  assertEquals(code, 0);
  assertStringIncludes(stdout, "--store WHERE");
});
