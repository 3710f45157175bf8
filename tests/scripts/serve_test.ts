import { assertEquals, assertMatch } from "../assert.ts";
import { runScript, scriptArguments, scriptEnvironment } from "./script.ts";

Deno.test("serve prints a call that works, and ends with 0 when it is interrupted", async () => {
  const folder = await Deno.makeTempDir();
  const server = new Deno.Command(Deno.execPath(), {
    args: scriptArguments("serve", []),
    clearEnv: true,
    env: scriptEnvironment({ PORT: "0", SUPPORT_LEDGER_DIR: folder }),
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  try {
    const reader = server.stdout.pipeThrough(new TextDecoderStream())
      .getReader();
    let printed = "";
    while (!printed.includes("Ctrl+C")) {
      const { value, done } = await reader.read();
      if (done) break;
      printed += value;
    }
    const line =
      /deno task call (\S+) '(.+)' --url (\S+) --token=(\S+)/.exec(printed) ??
        [];
    assertEquals(line.length, 5, printed);
    const [, tool, input, url, token] = line as unknown as string[];
    const { code, stdout } = await runScript("call", [
      tool!,
      input!,
      "--url",
      url!,
      // As it is printed: a token may begin with a dash.
      `--token=${token!}`,
    ]);
    assertEquals(code, 0);
    assertMatch(stdout, /"orderId": "A-10042"/);

    server.kill("SIGINT");
    await reader.cancel();
    assertEquals((await server.status).code, 0);
  } finally {
    try {
      server.kill("SIGKILL");
    } catch {
      // It has ended.
    }
    await server.status;
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("serve ends with 1 and names the port when another process has it", async () => {
  const taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  try {
    const { port } = taken.addr as Deno.NetAddr;
    const { code, stderr } = await runScript("serve", [], { PORT: `${port}` });
    assertEquals(code, 1);
    assertMatch(stderr, new RegExp(`port ${port}: another process has it`));
  } finally {
    taken.close();
  }
});
