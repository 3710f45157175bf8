/** The terminal commands as a user meets them: on a terminal, and by the README's own lines. */
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertStringIncludes } from "../assert.ts";
import { eventually } from "../pack_service/support/eventually.ts";
import { AgentPack } from "./agent_pack.ts";
import { scriptArguments, scriptEnvironment } from "./script.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Whether the machine can make terminals: `script` of util-linux. */
const canMakeTerminals = await hasScript();

async function hasScript(): Promise<boolean> {
  try {
    const { code, stdout } = await new Deno.Command("script", {
      args: ["--version"],
    }).output();
    return code === 0 &&
      new TextDecoder().decode(stdout).includes("util-linux");
  } catch {
    return false;
  }
}

/** A chat on a terminal of its own. */
class TerminalChat implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #keys: WritableStreamDefaultWriter<Uint8Array>;
  readonly ended: Promise<number>;
  /** Everything that the terminal was sent. */
  shown = "";

  constructor(pack: AgentPack, args: readonly string[]) {
    const words = [Deno.execPath(), ...scriptArguments("chat", args)];
    const child = new Deno.Command("script", {
      args: ["-qec", words.map((word) => `'${word}'`).join(" "), "/dev/null"],
      clearEnv: true,
      env: scriptEnvironment({ ...pack.env, TERM: "xterm" }),
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    this.#child = child;
    this.#keys = child.stdin.getWriter();
    const read = (async () => {
      for await (
        const text of child.stdout.pipeThrough(new TextDecoderStream())
      ) this.shown += text;
    })();
    this.ended = Promise.all([child.status, read])
      .then(([{ code }]) => code);
  }

  /** Presses keys. */
  async press(keys: string): Promise<void> {
    await this.#keys.write(new TextEncoder().encode(keys));
  }

  /** Waits until a text has been shown so many times. */
  async until(text: string, times = 1): Promise<void> {
    await eventually(
      () => `${times} × ${JSON.stringify(text)} in:\n${this.shown}`,
      () => this.shown.split(text).length > times || undefined,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#child.kill("SIGKILL");
    } catch {
      // It has ended already.
    }
    await this.ended;
    await this.#keys.close().catch(() => {});
  }
}

Deno.test({
  name:
    "on a terminal a chat has colours and a prompt with history, asks until an answer is clear, and ends with Ctrl+C",
  ignore: !canMakeTerminals,
  fn: async () => {
    await using pack = await AgentPack.write({
      hitl: { tools: { overrides: { "acme.note": "always_ask" } } },
    });
    await using chat = new TerminalChat(pack, [
      ...["--pack-dir", pack.packDir, "--providers", pack.models],
      ...["--store", pack.store],
    ]);
    const prompt = "\x1b[1m›\x1b[22m ";
    const question = "[a]pprove, [r]eject";
    await chat.until(prompt);
    assertStringIncludes(chat.shown, "/help lists the commands");
    await chat.press("hello\r");
    await chat.until("You said: hello");
    await chat.until(prompt, 2);
    // The arrow brings back what was typed before.
    await chat.press("\x1b[A\r");
    await chat.until("You said: hello", 2);
    // What is typed ahead is no answer to a question that wasn't there.
    await chat.press("note A\ra\r");
    await chat.until(question);
    await readQuestion();
    assertEquals(await pack.ledger(), []);
    await chat.press("perhaps\r");
    await chat.until("perhaps");
    await readQuestion();
    assertEquals(await pack.ledger(), []);
    await chat.press("a\r");
    await chat.until("noted A");
    assertEquals((await pack.ledger()).length, 1);
    await chat.until(prompt, 4);
    await chat.press("\x03");
    assertEquals(await chat.ended, 130);
  },
});

Deno.test({
  name:
    "a text of several lines that is pasted is so many messages, and its end stays at the prompt; none of it answers a question",
  ignore: !canMakeTerminals,
  fn: async () => {
    await using pack = await AgentPack.write({
      hitl: { tools: { overrides: { "acme.note": "always_ask" } } },
    });
    await using chat = new TerminalChat(pack, [
      ...["--pack-dir", pack.packDir, "--providers", pack.models],
      ...["--store", pack.store],
    ]);
    await chat.until("\x1b[1m›\x1b[22m ");
    await chat.press("one\rnote A\ra\rlast ");
    await chat.until("You said: one");
    await chat.until("[a]pprove, [r]eject");
    await readQuestion();
    assertEquals(await pack.ledger(), []);
    await chat.press("a\r");
    await chat.until("noted A");
    await chat.until("You said: a");
    // What was begun is at the prompt again.
    await chat.until("last ", 2);
    await chat.press("words\r");
    await chat.until("You said: last words");
    await chat.press("\x03");
    assertEquals(await chat.ended, 130);
  },
});

/** A person takes a moment to read a question. */
function readQuestion(): Promise<void> {
  return new Promise((done) => setTimeout(done, 400));
}

Deno.test({
  name:
    "on a terminal Ctrl+C in the middle of a turn leaves it to the next chat",
  ignore: !canMakeTerminals,
  fn: async () => {
    await using pack = await AgentPack.write();
    const args = [
      ...["--pack-dir", pack.packDir, "--providers", pack.models],
      ...["--store", pack.store],
    ];
    {
      await using chat = new TerminalChat(pack, args);
      await chat.until("›");
      await chat.press("wait\r");
      await chat.until("asks told/told-1");
      await chat.press("\x03");
      assertEquals(await chat.ended, 130);
      assertStringIncludes(chat.shown, "the turn goes on the next time");
    }
    await pack.openGate();
    await using chat = new TerminalChat(pack, args);
    await chat.until("waited");
    // Ctrl+D at the prompt.
    await chat.until("\x1b[1m›\x1b[22m \x1b");
    await chat.press("\x04");
    assertEquals(await chat.ended, 0);
  },
});

Deno.test("the README's lines: a chat parks, its approval is listed and decided, a worker finishes the turn", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const readme = await Deno.readTextFile(`${root}README.md`);
    const lineOf = (start: string) => {
      const line = readme.split("\n").find((line) => line.startsWith(start));
      assert(line !== undefined, start);
      return line.replaceAll("../chat.sqlite", `${folder}/chat.sqlite`);
    };
    const message = lineOf("› support.refund_order").slice("› ".length);
    const env = scriptEnvironment({
      PATH: `${folder}:${Deno.env.get("PATH")}`,
      SUPPORT_LEDGER_DIR: folder,
      KINDGI_LOG_FORMAT: "json",
    });
    await Deno.symlink(Deno.execPath(), `${folder}/deno`);
    const run = async (script: string) => {
      const { code, stdout, stderr } = await new Deno.Command("bash", {
        args: ["-c", script],
        cwd: root,
        clearEnv: true,
        env,
        stdin: "null",
      }).output();
      const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
      return { code, stdout: text(stdout), stderr: text(stderr) };
    };
    const chat = await run(
      `echo '${message}' | ${lineOf("deno task chat ")}`,
    );
    assertEquals(chat.code, 3, chat.stderr);
    const store = lineOf("export KINDGI_STORE=");
    const listed = await run(`${store}; ${lineOf("deno task approvals")}`);
    const id = /^(\S+) {2}pending/m.exec(listed.stdout)?.[1] ?? "";
    const decided = await run(
      `${store}; ${lineOf("deno task approvals approve").replace("ID", id)}`,
    );
    assertEquals(decided.code, 0, decided.stderr);
    const worker = new Deno.Command("bash", {
      args: ["-c", `exec ${lineOf("deno task worker ")}`],
      cwd: root,
      clearEnv: true,
      env,
      stdin: "null",
      stderr: "piped",
    }).spawn();
    let said = "";
    for await (
      const text of worker.stderr.pipeThrough(new TextDecoderStream())
    ) {
      said += text;
      if (said.includes("took a turn further")) worker.kill("SIGTERM");
      if (said.includes("has stopped")) break;
    }
    assertEquals((await worker.status).code, 0);
    assertStringIncludes(said, `"status":"completed"`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
