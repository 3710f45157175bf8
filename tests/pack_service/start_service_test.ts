/** A pack service that a program starts or hosts behind `node:http` (cases G, H). */

import { createServer, type Server } from "node:http";
import {
  assert,
  assertEquals,
  assertMatch,
  assertStringIncludes,
  okValue,
} from "../assert.ts";
import {
  createPackService,
  createRecordLog,
  DEFAULT_LOG_SETTINGS,
  type PackEvent,
  type PackService,
  readPackIndex,
  type StartedPackService,
  type StartOutcome,
  startPackService,
} from "../../pack_service/mod.ts";
import { Caller, errorOf, toolCall } from "./support/caller.ts";
import { DEMO_INDEX, DEMO_PACK, TOKEN } from "./support/demo_pack.ts";
import { eventually } from "./support/eventually.ts";
import { invokeHead, RawClient } from "./support/raw_client.ts";
import { TempPack } from "./support/temp_pack.ts";

const CONFIG = { index: DEMO_INDEX, token: TOKEN, host: "127.0.0.1", port: 0 };

function startedOf(outcome: StartOutcome): StartedPackService {
  if (outcome.kind === "ok") return outcome.value;
  throw new Error(`it didn't start: ${outcome.problems.join("; ")}`);
}

function callerOf({ port }: { readonly port: number }): Caller {
  return new Caller(`http://127.0.0.1:${port}`);
}

Deno.test("[93] a service started in a program leaves the program's environment alone, the token included", async () => {
  const names = { UNDECLARED_X: "x", KINDGI_PACK_SERVICE_TOKEN: "kept" };
  for (const [name, value] of Object.entries(names)) Deno.env.set(name, value);
  const before = Deno.env.toObject();
  const started = startedOf(await startPackService(CONFIG));
  try {
    assertEquals(Deno.env.toObject(), before);
    const caller = callerOf(started);
    const seen = await caller.output("demo.env") as { names: string[] };
    assert(seen.names.includes("UNDECLARED_X"));
  } finally {
    await started.stop();
    for (const name of Object.keys(names)) Deno.env.delete(name);
  }
});

Deno.test("a program that asks for the filter loses what its pack doesn't declare", async () => {
  Deno.env.set("UNDECLARED_X", "x");
  const before = Deno.env.toObject();
  const events: PackEvent[] = [];
  try {
    const started = startedOf(
      await startPackService(
        { ...CONFIG, envFilter: "on" },
        (event) => events.push(event),
      ),
    );
    await started.stop();
    assertEquals(Deno.env.get("UNDECLARED_X"), undefined);
    assertEquals(Deno.env.get("PATH"), before.PATH);
    const [dropped] = events;
    assert(dropped?.kind === "env-dropped");
    assert(dropped.names.includes("UNDECLARED_X"));
  } finally {
    for (const [name, value] of Object.entries(before)) {
      Deno.env.set(name, value);
    }
    Deno.env.delete("UNDECLARED_X");
  }
});

Deno.test("a function for logs gets the bare events", async () => {
  await using pack = await TempPack.write({
    tools: { quick: `export default () => "quick";` },
    index: { env: { required: ["NEVER_SET_X"] } },
  });
  const events: PackEvent[] = [];
  const started = startedOf(
    await startPackService(
      { ...CONFIG, index: pack.index, envCheck: "warn" },
      (event) => events.push(event),
    ),
  );
  await callerOf(started).output("quick");
  await started.stop();
  assertEquals(
    events.map((event) =>
      event.kind === "call" ? { ...event, durationMs: 0 } : event
    ),
    [
      { kind: "missing-env", check: "warn", names: ["NEVER_SET_X"] },
      {
        kind: "listening",
        port: started.port,
        packId: "temp",
        artifactVersion: "20260930.1",
      },
      {
        kind: "call",
        target: "tool",
        id: "quick",
        durationMs: 0,
        outcome: "ok",
      },
    ],
  );
});

Deno.test("a log gets records that name the pack", async () => {
  const lines: string[] = [];
  const started = startedOf(
    await startPackService(
      CONFIG,
      createRecordLog({
        settings: DEFAULT_LOG_SETTINGS,
        write: (text) => void lines.push(text),
        terminal: false,
        noColor: true,
      }),
    ),
  );
  await callerOf(started).output("demo.plain");
  await started.stop();
  const records = lines.map((line) => JSON.parse(line));
  assertEquals(records.map(({ event }) => event), ["listening", "call"]);
  for (const { packId } of records) assertEquals(packId, "demo");
});

Deno.test("what keeps a service from starting is answered, not thrown", async () => {
  const problemsOf = async (
    config: Partial<Parameters<typeof startPackService>[0]>,
  ): Promise<readonly string[]> => {
    const outcome = await startPackService({ ...CONFIG, ...config });
    if (outcome.kind === "err") return outcome.problems;
    await outcome.value.stop();
    throw new Error("it started");
  };
  const [unreadable] = await problemsOf({ index: "/nowhere/index.json" });
  assertMatch(unreadable!, /^Cannot read the pack index/);
  await using pack = await TempPack.write({
    tools: {
      strict: { code: "export default 1;", entry: { sandbox: "strict" } },
    },
  });
  const [strict] = await problemsOf({ index: pack.index });
  assertStringIncludes(strict!, "strict");
  const missing = await problemsOf({ moduleRoot: pack.folder });
  assertStringIncludes(missing[0]!, "Missing module: tools/echo.mjs");
  const taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = taken.addr as Deno.NetAddr;
  const [busy] = await problemsOf({ port });
  taken.close();
  assertStringIncludes(busy!, String(port));
});

Deno.test("stopping drains, then nothing listens any more", async () => {
  const started = startedOf(await startPackService(CONFIG));
  const caller = callerOf(started);
  // Its body never comes; its connection is ended with the others.
  using half = await RawClient.connect(started.port);
  await half.send(invokeHead("content-length: 100"));
  await eventually(
    "the body's start",
    () => started.service.inFlight() === 1 || undefined,
  );
  await started.stop();
  assertEquals((await half.answer())?.body, '{"error":"draining"}');
  await half.closed();
  const refused = await caller.request("/healthz").then(
    () => false,
    () => true,
  );
  assertEquals(refused, true);
});

/** A program's own server, with the demo pack's service behind it. */
async function withNodeServer(
  test: (service: PackService, port: number) => Promise<void>,
): Promise<void> {
  const service = createPackService({
    index: okValue(await readPackIndex(DEMO_INDEX)),
    resolveModule: (path) => `${DEMO_PACK}/${path}`,
    token: TOKEN,
    env: {},
  });
  assertEquals(await service.prewarm(), []);
  const server: Server = createServer(service.handleNode);
  await new Promise<void>((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve())
  );
  try {
    await test(service, (server.address() as { port: number }).port);
  } finally {
    await service.drain(0);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

Deno.test("behind node:http the service answers as it does on its own", async () => {
  await withNodeServer(async (_service, port) => {
    const caller = callerOf({ port });
    assertEquals((await caller.request("/healthz")).body, { status: "ok" });
    assertEquals((await caller.request("/v1/info")).status, 401);
    assertEquals((await caller.get("/v1/nope")).status, 404);
    const answer = await caller.invoke("demo.echo", { message: "hi" });
    assertEquals(answer.status, 200);
    assertEquals(answer.body, {
      v: 2,
      kind: "result",
      output: { echoed: "hi", runId: "run-1" },
    });
    assertEquals(answer.headers.get("kindgi-artifact-version"), "20260930.1");
    assertEquals(
      answer.headers.get("content-type"),
      "application/json; charset=utf-8",
    );
    assertEquals(
      errorOf(await caller.post("{ nope")).code,
      "malformed-message",
    );
  });
});

Deno.test("behind node:http a caller who leaves frees the slot, amid its body as amid its call", async () => {
  await withNodeServer(async (service, port) => {
    const body = JSON.stringify(toolCall("demo.wait"));
    const head = invokeHead(`content-length: ${body.length}`);
    for (const sent of [head + body.slice(1), head + body]) {
      using leaving = await RawClient.connect(port);
      await leaving.send(sent);
      await eventually("the call", () => service.inFlight() === 1 || undefined);
      leaving.close();
      await eventually("its end", () => service.inFlight() === 0 || undefined);
    }
  });
});
