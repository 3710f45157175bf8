/** A pack service inside a program: what it is made of and what it tells (cases B, D, H). */

import { assertEquals, assertStringIncludes, assertThrows } from "../assert.ts";
import {
  createRecordLog,
  DEFAULT_LOG_SETTINGS,
  type PackIndex,
} from "../../pack_service/mod.ts";
import { errorOf, messageOf, toolCall } from "./support/caller.ts";
import { DEMO_PACK, TOKEN } from "./support/demo_pack.ts";
import { DEMO, host, inMemory, ready } from "./support/hosted.ts";

Deno.test("[22] before it is prewarmed a service is not ready, but tells what it is", async () => {
  await using hosted = host();
  const { service, caller } = hosted;
  assertEquals(service.ready(), false);
  for (
    const answer of [
      await caller.request("/readyz"),
      await caller.invoke("demo.plain"),
    ]
  ) {
    assertEquals(answer.status, 503);
    assertEquals(answer.body, { error: "not ready" });
    assertEquals(answer.headers.get("retry-after"), "1");
  }
  assertEquals((await caller.get("/v1/info")).status, 200);
  assertEquals((await caller.request("/healthz")).status, 200);
  assertEquals(await service.prewarm(), []);
  assertEquals(service.ready(), true);
  assertEquals(await caller.output("demo.plain"), { ok: true });
});

Deno.test("prewarming tells each module that can't be imported, and the service stays not ready", async () => {
  const imported: string[] = [];
  await using hosted = host({
    importModule: (path) => {
      imported.push(path.slice(DEMO_PACK.length + 1));
      if (path.endsWith("echo.mjs")) throw new TypeError("no echo");
      if (path.endsWith("boom.mjs")) return Promise.reject("no boom");
      return { default: () => 1 };
    },
  });
  const { service, caller } = hosted;
  const [echo, boom, ...more] = await service.prewarm();
  assertEquals(more, []);
  assertEquals(echo, {
    v: 2,
    kind: "error",
    code: "handler-import-failed",
    message: "demo.echo: TypeError: no echo",
    toolId: "demo.echo",
  });
  assertEquals(boom, {
    v: 2,
    kind: "error",
    code: "handler-import-failed",
    message: "demo.checks.boom: no boom",
    checkId: "demo.checks.boom",
  });
  assertEquals(imported.length, DEMO.tools.length + DEMO.guardrails.length);
  assertEquals(imported.slice(-3), [
    "guardrails/len.mjs",
    "guardrails/slow.mjs",
    "guardrails/boom.mjs",
  ]);
  assertEquals((await caller.request("/readyz")).status, 503);
});

Deno.test("[48] a check whose config schema doesn't compile isn't imported by its call", async () => {
  const imported: string[] = [];
  await using hosted = await ready({
    index: {
      ...DEMO,
      tools: [],
      guardrails: [{
        id: "broken",
        checkModulePath: "guardrails/len.mjs",
        configSchema: { type: "object", required: ["ghost"] },
      }],
    },
    importModule: (path) => {
      imported.push(path);
      return import(`file://${path}`);
    },
  });
  const { caller } = hosted;
  assertEquals(imported.length, 1);
  const error = errorOf(await caller.check("broken"));
  assertEquals(error.code, "input-validation-failed");
  assertEquals(imported.length, 1);
});

Deno.test("[87] [88] what is missing of the environment is told once, by name", async () => {
  const index: PackIndex = {
    ...DEMO,
    env: { required: ["A_URL", "B_URL"], optional: ["C"] },
  };
  await using strict = await ready({ index, env: { A_URL: "" } });
  const names = ["A_URL", "B_URL"];
  assertEquals(strict.events, [
    { kind: "missing-env", check: "strict", names },
  ]);
  assertEquals(strict.service.ready(), false);
  const refused = await strict.caller.invoke("demo.plain");
  assertEquals(refused.status, 503);
  assertEquals(refused.body, { error: "missing env", missingEnv: names });

  await using warned = await ready({
    index,
    env: { A_URL: "a" },
    envCheck: "warn",
  });
  assertEquals(warned.events, [
    { kind: "missing-env", check: "warn", names: ["B_URL"] },
  ]);
  assertEquals(await warned.caller.output("demo.plain"), { ok: true });

  await using fine = await ready({ index, env: { A_URL: "a", B_URL: " " } });
  assertEquals(fine.events, []);
});

Deno.test("a given log gets the same as records, and what tools write", async () => {
  const lines: string[] = [];
  await using hosted = await ready({
    ...inMemory({
      logs: (_input: unknown, ctx: { log: { info(message: string): void } }) =>
        ctx.log.info("from the tool"),
    }),
    log: createRecordLog({
      settings: DEFAULT_LOG_SETTINGS,
      write: (text) => void lines.push(text),
      terminal: false,
      noColor: true,
    }),
  });
  const { caller } = hosted;
  await caller.output("logs");
  const [fromTool, call, ...more] = lines.map((line) => JSON.parse(line));
  assertEquals(more, []);
  assertEquals(fromTool.subsystem, "pack.tool");
  assertEquals(fromTool.message, "from the tool");
  assertEquals(call.event, "call");
  for (const { runId, packId } of [fromTool, call]) {
    assertEquals(runId, "run-1");
    // Only a started service's records name the pack.
    assertEquals(packId, undefined);
  }
});

Deno.test("a handler's own objects are safe from the caller's, and throws of any kind are answers", async () => {
  const hostile = {
    get message(): string {
      throw new Error("no message");
    },
  };
  await using hosted = await ready(inMemory({
    throws: () => {
      throw hostile;
    },
    rejects: () => Promise.reject(undefined),
    thenable: () => ({
      then: (resolve: (value: string) => void) => resolve("late"),
    }),
  }));
  const { caller, service } = hosted;
  assertEquals((await caller.error("throws")).code, "handler-throw");
  assertEquals((await caller.error("rejects")).cause, null);
  assertEquals(await caller.output("thenable"), "late");
  assertEquals(service.inFlight(), 0);
});

Deno.test("a strict tool is refused in a program, unless the program takes it as it is [executors.md]", async () => {
  const index: PackIndex = {
    ...DEMO,
    tools: DEMO.tools.map((tool) => ({ ...tool, sandbox: "strict" })),
  };
  const error = assertThrows(() => host({ index }), TypeError);
  assertStringIncludes(error.message, "demo.echo");
  await using hosted = await ready({ index, sandbox: "off" });
  const { caller } = hosted;
  assertEquals(await caller.output("demo.plain"), { ok: true });
  const isolated: PackIndex = {
    ...DEMO,
    tools: DEMO.tools.map((tool) => ({ ...tool, sandbox: "context-isolated" })),
  };
  await using within = await ready({ index: isolated });
  assertEquals(await within.caller.output("demo.plain"), { ok: true });
});

Deno.test("a request is answered whatever its URL's origin", async () => {
  await using hosted = await ready();
  const { service } = hosted;
  const call = new Request("https://other.example:8443/v1/invoke?x=/v1/info", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "kindgi-pack-token": TOKEN,
    },
    body: JSON.stringify(toolCall("demo.plain")),
  });
  const response = await service.handle(call);
  messageOf({
    status: response.status,
    headers: response.headers,
    body: await response.json(),
  }, "result");
});
