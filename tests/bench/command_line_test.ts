/** What `deno task bench` is asked for. */
import { BENCHES } from "../../bench/benches.ts";
import { readBenchCommand } from "../../bench/command_line.ts";
import { FIGURES } from "../../bench/short/figures.ts";
import { assert, assertEquals, assertMatch } from "../assert.ts";

Deno.test("no argument runs every bench, in the order of their list", () => {
  assertEquals(readBenchCommand([]), {
    kind: "run",
    benches: Object.keys(BENCHES).map((name) => ({ name, args: [] })),
  });
});

Deno.test("what stands behind a bench's name is the bench's own", () => {
  assertEquals(
    readBenchCommand(["growth", "tools", "calls", "memory", "--calls=10"]),
    {
      kind: "run",
      benches: [
        { name: "growth", args: ["tools"] },
        { name: "calls", args: [] },
        { name: "memory", args: ["--calls=10"] },
      ],
    },
  );
});

Deno.test("a name that no bench has is refused, also behind one that takes no arguments", () => {
  assertEquals(readBenchCommand(["toString"]), "there is no bench toString");
  assertEquals(
    readBenchCommand(["calls", "strat"]),
    "calls takes no arguments, and there is no bench strat",
  );
});

Deno.test("every figure is checked and recorded unless some are named", () => {
  const figures = Object.keys(FIGURES);
  assertEquals(readBenchCommand(["--check"]), { kind: "check", figures });
  assertEquals(readBenchCommand(["--record"]), { kind: "record", figures });
  assertEquals(readBenchCommand(["--check", "start", "turn"]), {
    kind: "check",
    figures: ["start", "turn"],
  });
});

Deno.test("check and record exclude each other, and know their figures and options", () => {
  assertEquals(
    readBenchCommand(["--check", "--record"]),
    "--check and --record exclude each other",
  );
  const unknown = readBenchCommand(["--check", "stat"]);
  assert(typeof unknown === "string");
  assertMatch(unknown, /^there is no figure stat; there are calls, /);
  assertMatch(String(readBenchCommand(["--chekc"])), /--chekc/);
});

Deno.test("help is given wherever it is asked for", () => {
  for (const argv of [["--help"], ["-h"], ["calls", "--help"]]) {
    assertEquals(readBenchCommand(argv), "help");
  }
});

Deno.test("the command says what is wrong with its arguments, and measures nothing", async () => {
  const main = new URL("../../bench/main.ts", import.meta.url).pathname;
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", main, "--check", "stat"],
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  assertEquals(code, 2);
  assertEquals(text(stdout), "");
  assertMatch(text(stderr), /^bench: there is no figure stat; .*--help/);
});
