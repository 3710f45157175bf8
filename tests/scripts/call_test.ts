import { assertEquals, assertStringIncludes } from "../assert.ts";
import { EXAMPLE_INDEX } from "../../scripts/example_pack.ts";
import { ServiceProcess } from "../pack_service/support/service_process.ts";
import { TOKEN } from "../pack_service/support/demo_pack.ts";
import { runScript } from "./script.ts";

Deno.test("call prints a tool's output as JSON, and an error on standard error", async () => {
  await using service = await ServiceProcess.start({ index: EXAMPLE_INDEX });
  const url = `http://127.0.0.1:${service.port}`;

  const found = await runScript("call", [
    "support.find_order",
    `{"orderId": "A-10042"}`,
    "--url",
    url,
    "--token",
    TOKEN,
  ]);
  assertEquals(found.stderr, "");
  assertEquals(found.code, 0);
  assertEquals(JSON.parse(found.stdout).order.orderId, "A-10042");

  const env = { KINDGI_PACK_URL: url, KINDGI_PACK_SERVICE_TOKEN: TOKEN };
  const listed = await runScript("call", ["support.list_orders"], env);
  assertEquals(listed.code, 0);
  assertEquals(JSON.parse(listed.stdout).orders.length, 10);

  const refused = await runScript(
    "call",
    ["support.find_order", `{"orderId": 7}`],
    env,
  );
  assertEquals(refused.code, 1);
  assertEquals(refused.stdout, "");
  assertEquals(JSON.parse(refused.stderr).code, "input-validation-failed");

  const unknown = await runScript("call", ["support.nothing"], env);
  assertEquals(unknown.code, 1);
  assertEquals(JSON.parse(unknown.stderr).code, "tool-not-in-pack");

  const wrongToken = await runScript(
    "call",
    ["support.list_orders", "--token", "wrong"],
    env,
  );
  assertEquals(wrongToken.code, 1);
  assertStringIncludes(wrongToken.stderr, "give the service's token");
});

Deno.test("call ends with 1 when nothing listens there", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  const { code, stderr } = await runScript("call", ["acme.greet"], {
    KINDGI_PACK_URL: `http://127.0.0.1:${port}`,
    KINDGI_PACK_SERVICE_TOKEN: TOKEN,
  });
  assertEquals(code, 1);
  assertStringIncludes(stderr, "Cannot reach a pack service");
});

Deno.test("call ends with 2 and says what is wrong with its arguments", async () => {
  const wrong: [args: string[], says: string][] = [
    [[], "name the tool"],
    [["a.b", "{broken"], "not JSON"],
    [["a.b", "{}", "more"], "put the JSON in quotes"],
    [["a.b", "{}", "--port", "1"], "--port"],
    [["a.b", "{}", "--url", "somewhere"], "no URL"],
    [["a.b", "{}"], "KINDGI_PACK_SERVICE_TOKEN"],
    [["a.b", "{}", "--token", "t", "--timeout", "soon"], "--timeout"],
  ];
  for (const [args, says] of wrong) {
    const { code, stdout, stderr } = await runScript("call", args);
    assertEquals([code, stdout], [2, ""], says);
    assertStringIncludes(stderr, says);
  }
});

Deno.test("every script says what it does with --help", async () => {
  for (const name of ["call", "serve", "cache_pack", "dev"]) {
    const { code, stdout, stderr } = await runScript(name, ["--help"]);
    assertEquals([code, stderr], [0, ""]);
    for (const part of ["Usage:\n  deno task", "Exit codes:", "--help"]) {
      assertStringIncludes(stdout, part);
    }
  }
});
