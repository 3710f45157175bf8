import {
  assert,
  assertEquals,
  assertMatch,
  assertStringIncludes,
  errValue,
  okValue,
} from "../assert.ts";
import {
  createRecordLog,
  DEFAULT_LOG_SETTINGS,
  type LogRecord,
  type LogSettings,
  parseLogSettings,
} from "../../base/log.ts";

/** A JSON log that keeps its lines. */
function keepingLog(
  settings: LogSettings = DEFAULT_LOG_SETTINGS,
  terminal = false,
  noColor = false,
) {
  const lines: string[] = [];
  const log = createRecordLog({
    settings,
    write: (text) => void lines.push(text),
    terminal,
    noColor,
    now: () => new Date("2026-09-20T14:32:07.104Z"),
  });
  return { log, lines };
}

function written(record: Partial<LogRecord>): Record<string, unknown> {
  const { log, lines } = keepingLog();
  log.write({ level: "info", subsystem: "pack", message: "m", ...record });
  assertEquals(lines.length, 1);
  return JSON.parse(lines[0]!);
}

function settings(env: Record<string, string>): LogSettings {
  return okValue(parseLogSettings(env));
}

Deno.test("an environment without settings logs from info on, in the form that fits the place", () => {
  const expected = { level: "info", levels: new Map(), format: "auto" };
  assertEquals(okValue(parseLogSettings({})), expected as never);
  assertEquals(
    settings({
      KINDGI_LOG_LEVEL: "",
      KINDGI_LOG_LEVELS: "",
      KINDGI_LOG_FORMAT: "",
    }),
    expected as never,
  );
});

Deno.test("log settings are read from their three variables", () => {
  const read = settings({
    KINDGI_LOG_LEVEL: "warn",
    KINDGI_LOG_LEVELS: "pack.tool=debug, b.c = trace",
    KINDGI_LOG_FORMAT: "json",
  });
  assertEquals(read.level, "warn");
  assertEquals([...read.levels], [["pack.tool", "debug"], ["b.c", "trace"]]);
  assertEquals(read.format, "json");
});

Deno.test("[78] every bad log setting is named with its variable", () => {
  const problems = errValue(parseLogSettings({
    KINDGI_LOG_LEVEL: "loud",
    KINDGI_LOG_LEVELS: "pack=info,pack,=warn,x=loud",
    KINDGI_LOG_FORMAT: "xml",
  }));
  assertEquals(problems.length, 5);
  assertStringIncludes(problems[0]!, "KINDGI_LOG_LEVEL ");
  assertStringIncludes(problems[0]!, `"loud"`);
  for (const problem of problems.slice(1, 4)) {
    assertStringIncludes(problem, "KINDGI_LOG_LEVELS ");
  }
  assertStringIncludes(problems[4]!, "KINDGI_LOG_FORMAT ");
});

Deno.test("a subsystem's level is its own, else its nearest parent's, else the global one", () => {
  const { log } = keepingLog(settings({
    KINDGI_LOG_LEVEL: "error",
    KINDGI_LOG_LEVELS: "pack=info,pack.tool.x=trace",
  }));
  assert(log.enabled("info", "pack"));
  assert(!log.enabled("debug", "pack"));
  assert(log.enabled("info", "pack.tool"));
  assert(!log.enabled("debug", "pack.tool"));
  assert(log.enabled("trace", "pack.tool.x.y"));
  assert(!log.enabled("warn", "package"));
  assert(log.enabled("error", "other"));
});

Deno.test("a record below its level isn't written unless it is a lifecycle line", () => {
  const { log, lines } = keepingLog(settings({ KINDGI_LOG_LEVEL: "error" }));
  log.write({ level: "info", subsystem: "pack", message: "quiet" });
  log.write({
    level: "info",
    subsystem: "pack",
    message: "loud",
    always: true,
  });
  assertEquals(lines.length, 1);
  assertStringIncludes(lines[0]!, "loud");
});

Deno.test("a JSON record has time, level, severity, subsystem, message, ids, names, then the rest", () => {
  const { log, lines } = keepingLog();
  log.write({
    level: "warn",
    subsystem: "pack",
    message: "tool x failed",
    event: "call",
    correlation: { tenantId: "t", runId: "r", requestId: undefined },
    fields: { outcome: "handler-throw", "0": 1, gone: undefined },
  });
  assertMatch(lines[0]!, /\}\n$/);
  assert(
    lines[0]!.startsWith(
      `{"time":"2026-09-20T14:32:07.104Z","level":"warn","severity":"WARNING","subsystem":"pack",` +
        `"message":"tool x failed","tenantId":"t","runId":"r","event":"call","kind":"call",`,
    ),
    lines[0],
  );
  const record = JSON.parse(lines[0]!);
  assertEquals(record.outcome, "handler-throw");
  assertEquals(record["0"], 1);
  assert(!("gone" in record) && !("requestId" in record));
});

Deno.test("severities are those other log systems know", () => {
  const { log, lines } = keepingLog(settings({ KINDGI_LOG_LEVEL: "trace" }));
  for (const level of ["error", "warn", "info", "debug", "trace"] as const) {
    log.write({ level, subsystem: "pack", message: "m" });
  }
  assertEquals(
    lines.map((line) => JSON.parse(line).severity),
    ["ERROR", "WARNING", "INFO", "DEBUG", "DEBUG"],
  );
});

Deno.test("a field named like one that the record has is moved under fields", () => {
  const record = written({
    correlation: { runId: "r", projectId: undefined },
    fields: {
      event: "listening",
      kind: "listening",
      time: "never",
      level: "x",
      subsystem: "pack",
      message: "y",
      severity: "z",
      fields: 1,
      runId: "forged",
      projectId: "forged",
      orderId: "o-1",
    },
  });
  assertEquals(record.orderId, "o-1");
  assertEquals(record.runId, "r");
  assertEquals(record.message, "m");
  assert(!("event" in record) && !("kind" in record));
  assert(!("projectId" in record));
  assertEquals(record.fields, {
    event: "listening",
    kind: "listening",
    time: "never",
    level: "x",
    subsystem: "pack",
    message: "y",
    severity: "z",
    fields: 1,
    runId: "forged",
    projectId: "forged",
  });
});

Deno.test("a field is redacted by how its key ends, at every depth", () => {
  const record = written({
    fields: {
      password: "p",
      API_KEY: "p",
      "X-Session-Token": "p",
      dbPasswd: { deep: "p" },
      clientSecrets: ["p"],
      promptTokens: 12,
      tokenCount: 3,
      headers: { Authorization: "p", "set-cookie": "p", accept: "json" },
      list: [{ privateKey: "p" }],
      map: new Map([["credential", "p"], ["name", "n"]]),
      message: { passphrase: "p" },
    },
  });
  assert(!JSON.stringify(record).includes(`"p"`), JSON.stringify(record));
  assertEquals(record.password, "[redacted]");
  assertEquals(record.promptTokens, 12);
  assertEquals(record.tokenCount, 3);
  assertEquals(record.headers, {
    Authorization: "[redacted]",
    "set-cookie": "[redacted]",
    accept: "json",
  });
  assertEquals(record.map, { credential: "[redacted]", name: "n" });
});

Deno.test("secrets inside texts are masked, in the message as well", () => {
  const record = written({
    message: "sent Bearer abc.DEF-123 to postgres://app:s3cret@db:5432/x",
    correlation: { runId: "kgi_0123456789abcdefXYZ" },
    fields: {
      header: `{"authorization":"bearer abc.DEF-123","n":1}`,
      urls: ["redis://:s3cret@cache", "https://example.org:8080/a?b=c@d"],
      issued: "token kindgi_pat_0123456789abcdef, kept",
      variable: "KINDGI_PACK_SERVICE_TOKEN is missing",
      short: "kgi_short",
    },
  });
  const text = JSON.stringify(record);
  for (const secret of ["abc.DEF", "s3cret", "0123456789abcdef"]) {
    assert(!text.includes(secret), text);
  }
  assertEquals(
    record.message,
    "sent Bearer [redacted] to postgres://app:[redacted]@db:5432/x",
  );
  assertEquals(record.header, `{"authorization":"bearer [redacted]","n":1}`);
  assertEquals(record.urls, [
    "redis://:[redacted]@cache",
    "https://example.org:8080/a?b=c@d",
  ]);
  assertEquals(record.issued, "token kindgi_[redacted], kept");
  assertEquals(record.variable, "KINDGI_PACK_SERVICE_TOKEN is missing");
  assertEquals(record.short, "kgi_short");
});

Deno.test("errors keep what they say, their cause and their own fields", () => {
  const error = Object.assign(
    new TypeError("no Bearer abc", { cause: new Error("root") }),
    { code: "E_X", apiKey: "p" },
  );
  const logged = written({ fields: { error } }).error as Record<
    string,
    unknown
  >;
  assertEquals(logged.name, "TypeError");
  assertEquals(logged.message, "no Bearer [redacted]");
  assertEquals(logged.code, "E_X");
  assertEquals(logged.apiKey, "[redacted]");
  assertEquals((logged.cause as { message: string }).message, "root");
  assert(typeof logged.stack === "string");
  assertEquals(
    (written({ fields: error }).error as { code: string }).code,
    "E_X",
  );
});

Deno.test("no value can make the log throw or write anything but one JSON line", () => {
  const cyclic: Record<string, unknown> = { name: "loop" };
  cyclic.self = cyclic;
  let deep: unknown = "end";
  for (let i = 0; i < 100_000; i++) deep = { deep };
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const record = written({
    fields: {
      cyclic,
      deep,
      list: deepList(100_000),
      big: 12345678901234567890n,
      wide: Array.from({ length: 100_000 }, (_, i) => i),
      long: "x".repeat(1_000_000),
      getter: {
        get broken(): string {
          throw new Error("no");
        },
        fine: 1,
      },
      revoked: revoked.proxy,
      json: {
        toJSON() {
          throw new Error("no");
        },
      },
      date: new Date("2026-01-02T03:04:05.006Z"),
      badDate: new Date(NaN),
      nothing: null,
      nan: NaN,
      symbol: Symbol("s"),
      call: () => 1,
      bytes: new Uint8Array(3),
      set: new Set([1]),
      bare: Object.create(null),
      polluted: JSON.parse(`{"__proto__":{"admin":true}}`),
    },
  });
  assertEquals(record.cyclic, { name: "loop", self: "[circular]" });
  assertEquals(record.big, "12345678901234567890");
  assertEquals(record.getter, { broken: "[unreadable]", fine: 1 });
  assertEquals(record.revoked, "[unreadable]");
  assertEquals(record.json, "[unreadable]");
  assertEquals(record.date, "2026-01-02T03:04:05.006Z");
  assertEquals(record.badDate, null);
  assertEquals(record.nothing, null);
  assertEquals(record.nan, "NaN");
  assertEquals(record.symbol, "Symbol(s)");
  assertEquals(record.call, "[function]");
  assertEquals(record.bytes, "[binary, 3 bytes]");
  assertEquals(record.set, [1]);
  assertEquals(record.bare, {});
  assert(Object.hasOwn(record.polluted as object, "__proto__"));
  assertStringIncludes(JSON.stringify(record.deep), "[nested too deep]");
  assertStringIncludes(JSON.stringify(record.list), "[nested too deep]");
  assert((record.wide as unknown[]).length < 5_000);
  assert((record.long as string).length < 20_000);
  assertEquals(({} as { admin?: unknown }).admin, undefined);
});

Deno.test("fields that can't be listed, and a reader that has gone, stop nothing", () => {
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  assertEquals(written({ fields: revoked.proxy }).value, "[unreadable]");
  const throwing = {
    get secretPlan(): string {
      throw new Error("no");
    },
  };
  assertEquals(written({ fields: throwing }).secretPlan, "[unreadable]");
  const log = createRecordLog({
    settings: DEFAULT_LOG_SETTINGS,
    write: () => {
      throw new Error("EPIPE");
    },
    terminal: false,
    noColor: false,
  });
  log.write({ level: "info", subsystem: "pack", message: "m" });
});

Deno.test("the pretty form is for terminals, names what the message doesn't, and moves no cursor", () => {
  const record: LogRecord = {
    level: "info",
    subsystem: "pack",
    message: "tool x ok\nsecond \x1b[2Jline",
    event: "call",
    correlation: { runId: "r" },
    fields: { id: "x", note: "a b", inMessage: ["id"] },
  };
  const plain = keepingLog(DEFAULT_LOG_SETTINGS, true, true);
  plain.log.write(record);
  assertEquals(
    plain.lines[0],
    `14:32:07.104 INFO  pack tool x ok\n  second \\u001b[2Jline runId="r" note="a b"\n`,
  );
  const colored = keepingLog(DEFAULT_LOG_SETTINGS, true, false);
  colored.log.write(record);
  assertStringIncludes(colored.lines[0]!, "\x1b[32mINFO ");
  const file = keepingLog(settings({ KINDGI_LOG_FORMAT: "pretty" }));
  file.log.write(record);
  assert(!file.lines[0]!.includes("\x1b"));
  const json = keepingLog(settings({ KINDGI_LOG_FORMAT: "json" }), true);
  json.log.write(record);
  assertEquals(JSON.parse(json.lines[0]!).event, "call");
});

function deepList(depth: number): unknown {
  let list: unknown = [];
  for (let i = 0; i < depth; i++) list = [list];
  return list;
}
