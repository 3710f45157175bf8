import { assert, assertEquals, errValue, okValue } from "../assert.ts";
import {
  PACK_ERROR_CODES,
  PACK_HEADERS,
  PACK_PROTOCOL_VERSION,
  packError,
  parsePackRequest,
  parsePackResponse,
} from "../../pack_service/protocol.ts";

const ctx = { tenantId: "t-1", runId: "r-1" };
const toolCall = {
  v: 2,
  kind: "invoke",
  tool: { id: "demo.echo" },
  input: { q: "x" },
  ctx,
};
const checkCall = {
  v: 2,
  kind: "check-invoke",
  check: { id: "demo.checks.short" },
  config: {},
  trace: [],
};

function codeOf(value: unknown): string {
  const error = errValue(parsePackRequest(value));
  assertEquals(error.v, 2);
  assertEquals(error.kind, "error");
  assert(error.message.length > 0);
  return error.code;
}

Deno.test("[2] a body that isn't an object is a malformed message", () => {
  for (const value of [[1], null, 1, "x", true, undefined]) {
    assertEquals(codeOf(value), "malformed-message");
  }
});

Deno.test("[3] any version but the number 2 is an unknown protocol version", () => {
  for (const v of [1, 3, "2", null, undefined, [2], { v: 2 }]) {
    assertEquals(codeOf({ ...toolCall, v }), "unknown-protocol-version");
  }
  const error = errValue(parsePackRequest({ ...toolCall, v: "2" }));
  assert(error.message.includes(`"2"`), error.message);
  assertEquals(codeOf({ kind: "bogus" }), "unknown-protocol-version");
});

Deno.test("[5] a kind that is neither call is an unexpected message kind", () => {
  for (const kind of ["bogus", "result", 1, undefined]) {
    assertEquals(codeOf({ v: 2, kind }), "unexpected-message-kind");
  }
});

Deno.test("[6] a tool without a usable id or with a version that is no string is malformed", () => {
  for (
    const tool of [
      {},
      { id: "" },
      { id: 1 },
      { id: "demo.echo", version: 1 },
      { id: "demo.echo", version: null },
      [],
      null,
      "demo.echo",
      undefined,
    ]
  ) {
    assertEquals(codeOf({ ...toolCall, tool }), "malformed-message");
  }
});

Deno.test("[7] a call context without both ids is malformed", () => {
  for (
    const bad of [
      undefined,
      null,
      [],
      "ctx",
      { tenantId: "t" },
      { runId: "r" },
      { tenantId: 1, runId: "r" },
    ]
  ) {
    assertEquals(codeOf({ ...toolCall, ctx: bad }), "malformed-message");
  }
});

Deno.test("[8] empty ids and unknown keys are accepted and kept as sent", () => {
  const sent = {
    ...toolCall,
    later: 1,
    ctx: { tenantId: "", runId: "", newer: { a: 1 } },
  };
  assertEquals(okValue(parsePackRequest(sent)), sent as never);
});

Deno.test("a tool call without input is accepted, with or without a version", () => {
  const { input: _, ...rest } = toolCall;
  assertEquals(okValue(parsePackRequest(rest)).kind, "invoke");
  const named = { ...rest, tool: { id: "demo.echo", version: "1.0.0" } };
  assertEquals(okValue(parsePackRequest(named)), named as never);
});

Deno.test("[9] a check's config must be an object, its trace may be absent", () => {
  for (const config of [[], null, undefined, "x", 1]) {
    assertEquals(codeOf({ ...checkCall, config }), "malformed-message");
  }
  for (const check of [{}, { id: "" }, null, [], undefined]) {
    assertEquals(codeOf({ ...checkCall, check }), "malformed-message");
  }
  const { trace: _, ...untraced } = checkCall;
  assertEquals(okValue(parsePackRequest(untraced)).kind, "check-invoke");
});

Deno.test("the envelope is judged before the kind, and the tool before the context", () => {
  assertEquals(codeOf({ v: 1, kind: "bogus" }), "unknown-protocol-version");
  const error = errValue(parsePackRequest({ ...toolCall, tool: {}, ctx: [] }));
  assert(error.message.includes(`"tool"`), error.message);
});

Deno.test("[11] a response is read by its version and kind, unknown error codes pass", () => {
  assertEquals(
    okValue(parsePackResponse({ v: 2, kind: "result" })).kind,
    "result",
  );
  assertEquals(
    okValue(parsePackResponse({ v: 2, kind: "check-result", result: 1 })).kind,
    "check-result",
  );
  const foreign = { v: 2, kind: "error", code: "x", message: "y" };
  assertEquals(okValue(parsePackResponse(foreign)), foreign as never);
  const codes = (value: unknown) => errValue(parsePackResponse(value)).code;
  assertEquals(codes({ v: 2, kind: "error" }), "unexpected-message-kind");
  assertEquals(
    codes({ v: 2, kind: "error", code: "x" }),
    "unexpected-message-kind",
  );
  assertEquals(codes({ v: 2, kind: "invoke" }), "unexpected-message-kind");
  assertEquals(codes({ v: 3, kind: "result" }), "unknown-protocol-version");
  assertEquals(codes([]), "malformed-message");
});

Deno.test("an error message has only the extra keys that were given", () => {
  assertEquals(packError("cancelled", "gone"), {
    v: 2,
    kind: "error",
    code: "cancelled",
    message: "gone",
  });
  const issues = [{ instancePath: "/a", message: "must be string" }];
  assertEquals(
    packError("input-validation-failed", "bad", {
      toolId: "demo.echo",
      cause: null,
      issues,
    }),
    {
      v: 2,
      kind: "error",
      code: "input-validation-failed",
      message: "bad",
      toolId: "demo.echo",
      cause: null,
      issues,
    },
  );
});

Deno.test("an error message repeats a foreign value shortly and never an object's content", () => {
  const long = errValue(parsePackRequest({ v: "x".repeat(5_000) }));
  assert(long.message.length < 300, long.message);
  const secret = errValue(
    parsePackRequest({ ...checkCall, config: [{ key: "hush" }] }),
  );
  assert(!secret.message.includes("hush"), secret.message);
});

Deno.test("the protocol's constants are those of the wire", () => {
  assertEquals(PACK_PROTOCOL_VERSION, 2);
  assertEquals({ ...PACK_HEADERS }, {
    protocol: "kindgi-protocol",
    token: "kindgi-pack-token",
    timeoutMs: "kindgi-timeout-ms",
    runId: "kindgi-run-id",
    requestId: "kindgi-request-id",
    artifactVersion: "kindgi-artifact-version",
    durationMs: "kindgi-duration-ms",
    traceparent: "traceparent",
  });
  assertEquals([...PACK_ERROR_CODES], [
    "input-validation-failed",
    "output-validation-failed",
    "handler-import-failed",
    "handler-shape-invalid",
    "handler-throw",
    "check-shape-invalid",
    "malformed-message",
    "unknown-protocol-version",
    "unexpected-message-kind",
    "tool-not-in-pack",
    "check-not-in-pack",
    "tool-version-mismatch",
    "deadline-exceeded",
    "cancelled",
  ]);
});
