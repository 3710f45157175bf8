/** What a pack declares about its environment, and what its code sees of it (cases H). */

import { assert, assertEquals, assertStringIncludes } from "../assert.ts";
import { ServiceProcess } from "./support/service_process.ts";
import { type PackSource, TempPack } from "./support/temp_pack.ts";

/** Tells the names and values that it sees now, and those that it saw when it was loaded. */
const SEES = `
  import process from "node:process";
  const atLoad = { ...process.env };
  export default () => ({ atLoad, now: { ...process.env } });`;

const PACK: PackSource = {
  tools: { sees: SEES },
  index: { env: { required: ["A_URL", "B_URL"], optional: ["C"] } },
};

interface Seen {
  readonly atLoad: Readonly<Record<string, string>>;
  readonly now: Readonly<Record<string, string>>;
}

async function seenBy(service: ServiceProcess): Promise<Seen> {
  const seen = await service.caller.output("sees") as Seen;
  assertEquals(seen.atLoad, seen.now);
  return seen;
}

Deno.test("[87] [trap 42] missing variables hold up calls and are named everywhere, an empty one is missing", async () => {
  await using pack = await TempPack.write(PACK);
  await using service = await ServiceProcess.start({
    index: pack.index,
    env: { A_URL: "" },
  });
  const { caller } = service;
  assertEquals((await caller.request("/healthz")).status, 200);
  for (
    const answer of [
      await caller.request("/readyz"),
      await caller.invoke("sees"),
    ]
  ) {
    assertEquals(answer.status, 503);
    assertEquals(answer.headers.get("retry-after"), "1");
    assertEquals(answer.body, {
      error: "missing env",
      missingEnv: ["A_URL", "B_URL"],
    });
  }
  const info = await caller.get("/v1/info");
  assertEquals(info.status, 200);
  assertEquals((info.body as { missingEnv: unknown }).missingEnv, [
    "A_URL",
    "B_URL",
  ]);
  const [record, ...more] = service.records("missing-env");
  assertEquals(more, []);
  assertEquals(record?.check, "strict");
  assertEquals(record?.names, ["A_URL", "B_URL"]);
  assertEquals(record?.level, "warn");
  assertEquals(record?.packId, "temp");
});

Deno.test("[85] a level that hides the record hides nothing from the ready probe", async () => {
  await using pack = await TempPack.write(PACK);
  await using service = await ServiceProcess.start({
    index: pack.index,
    env: { KINDGI_LOG_LEVEL: "error" },
  });
  assertEquals(service.records("missing-env"), []);
  const { body } = await service.caller.request("/readyz");
  assertEquals(body, { error: "missing env", missingEnv: ["A_URL", "B_URL"] });
});

Deno.test("[88] with the check on warn, calls run and the missing names are told", async () => {
  await using pack = await TempPack.write(PACK);
  await using service = await ServiceProcess.start({
    index: pack.index,
    env: { A_URL: "http://a", KINDGI_PACK_ENV_CHECK: "warn" },
  });
  assertEquals((await service.caller.request("/readyz")).status, 200);
  assertEquals((await seenBy(service)).now.A_URL, "http://a");
  const { body } = await service.caller.get("/v1/info");
  assertEquals((body as { missingEnv: unknown }).missingEnv, ["B_URL"]);
  const [record] = service.records("missing-env");
  assertEquals(record?.check, "warn");
  assertEquals(record?.names, ["B_URL"]);
});

Deno.test("[89] [trap 42] a space counts as set, and an optional name may be empty", async () => {
  await using pack = await TempPack.write(PACK);
  await using service = await ServiceProcess.start({
    index: pack.index,
    env: { A_URL: "a", B_URL: " ", C: "", KINDGI_PACK_ENV_CHECK: "" },
  });
  assertEquals((await service.caller.request("/readyz")).status, 200);
  const { now } = await seenBy(service);
  assertEquals(now.B_URL, " ");
  assertEquals(now.C, "");
});

Deno.test("[89] an empty check setting is strict, an unknown one is refused", async () => {
  await using pack = await TempPack.write(PACK);
  await using service = await ServiceProcess.start({
    index: pack.index,
    env: { KINDGI_PACK_ENV_CHECK: "" },
  });
  assertEquals((await service.caller.request("/readyz")).status, 503);
  const ended = await ServiceProcess.run({
    index: pack.index,
    env: { KINDGI_PACK_ENV_CHECK: "loose" },
  });
  assertEquals(ended.code, 1);
  assertStringIncludes(
    String(ended.records[0]?.problems),
    "KINDGI_PACK_ENV_CHECK",
  );
});

/** Variables that reach the pack without being declared. */
const PLATFORM = {
  KINDGI_LOG_FORMAT: "json",
  K_SERVICE: "k",
  AWS_REGION: "eu",
  OTEL_X: "o",
  LC_ALL: "C",
  CLOUD_RUN_X: "c",
  CONTAINER_APP_X: "a",
  AZURE_CLIENT_ID: "i",
};
/** Variables that don't. */
const SECRETS = {
  SECRET_X: "hidden-1",
  AWS_SECRET_ACCESS_KEY: "hidden-2",
  GOOGLE_APPLICATION_CREDENTIALS: "hidden-3",
  AZURE_CLIENT_SECRET: "hidden-4",
};
const DECLARED = { A_URL: "a", B_URL: "b", C: "c" };

Deno.test("[80] [90] a pack sees what it declares and the platform's variables, never the token, at no time", async () => {
  await using pack = await TempPack.write(PACK);
  await using service = await ServiceProcess.start({
    index: pack.index,
    env: { ...DECLARED, ...PLATFORM, ...SECRETS },
  });
  const { now } = await seenBy(service);
  for (const [name, value] of Object.entries({ ...DECLARED, ...PLATFORM })) {
    assertEquals(now[name], value, name);
  }
  assertEquals(now.PORT, "0");
  assertEquals(now.PATH, Deno.env.get("PATH"));
  for (const name of [...Object.keys(SECRETS), "KINDGI_PACK_SERVICE_TOKEN"]) {
    assertEquals(name in now, false, name);
  }
  const [dropped, ...more] = service.records("env-dropped");
  assertEquals(more, []);
  assertEquals(dropped?.level, "warn");
  const names = dropped?.names as string[];
  assertEquals(names, [...names].sort());
  for (const name of Object.keys(SECRETS)) assert(names.includes(name), name);
  assert(!service.stderr().includes("hidden-"));
});

Deno.test("[80] [92] with the filter off a pack sees everything but the token, and nothing is told as dropped", async () => {
  await using pack = await TempPack.write(PACK);
  await using service = await ServiceProcess.start({
    index: pack.index,
    env: { ...DECLARED, ...SECRETS, KINDGI_PACK_ENV_FILTER: "off" },
  });
  const { now } = await seenBy(service);
  assertEquals(now.SECRET_X, "hidden-1");
  assertEquals("KINDGI_PACK_SERVICE_TOKEN" in now, false);
  assertEquals(service.records("env-dropped"), []);
});

Deno.test("[92] an unknown filter setting is refused", async () => {
  const ended = await ServiceProcess.run({
    env: { KINDGI_PACK_ENV_FILTER: "no" },
  });
  assertEquals(ended.code, 1);
  assertEquals(ended.records[0]?.event, "config-invalid");
  assertStringIncludes(
    String(ended.records[0]?.problems),
    "KINDGI_PACK_ENV_FILTER",
  );
});

Deno.test("[90] a pack that declares nothing keeps only the platform's variables", async () => {
  await using pack = await TempPack.write({ tools: { sees: SEES } });
  await using service = await ServiceProcess.start({
    index: pack.index,
    env: { A_URL: "a" },
  });
  const { now } = await seenBy(service);
  assertEquals("A_URL" in now, false);
  assertEquals(now.PATH, Deno.env.get("PATH"));
});
