import fc from "fast-check";
import {
  AGENTS_TENANT_SCOPED_TABLES,
  CURRENT_AGENTS_PAYLOAD_VERSION,
  EnvelopeOpenError,
  unwrap,
  unwrapOrThrow,
  wrap,
} from "../../../agents/mod.ts";
import {
  assert,
  assertEquals,
  assertThrows,
  errValue,
  okValue,
} from "../../assert.ts";

Deno.test("[131] the tables that belong to tenants are the two of the seed", () => {
  assertEquals([...AGENTS_TENANT_SCOPED_TABLES], [
    "agent_conversations",
    "agent_run_snapshots",
  ]);
});

Deno.test("[132] a document is wrapped with its version, and an empty column stays what it is", () => {
  assertEquals(CURRENT_AGENTS_PAYLOAD_VERSION, 1);
  assertEquals(wrap({ a: 1 }), { v: 1, doc: { a: 1 } });
  assertEquals(okValue(unwrap(null)), null);
  assertEquals(okValue(unwrap(undefined)), undefined);
  assertEquals(okValue(unwrap({ v: 1, doc: null })), null);
  assertEquals<unknown>(okValue(unwrap({ v: 1, doc: 5, extra: true })), 5);
});

Deno.test("[133] what is no envelope, and one of another version, are told apart", () => {
  for (
    const raw of [{ a: 1 }, { v: "1", doc: 1 }, { v: 1 }, [], "x", 5, true]
  ) {
    assertEquals(errValue(unwrap(raw)).code, "malformed-envelope");
  }
  const error = errValue(unwrap({ v: 2, doc: 1 }));
  assert(error.code === "unsupported-payload-version");
  assertEquals(error.version, 2);
  assertEquals(error.currentVersion, 1);
});

Deno.test("[134] unwrapOrThrow throws an error that carries the typed one", () => {
  const thrown = assertThrows(() => unwrapOrThrow({ v: 2, doc: 1 }));
  assert(thrown instanceof EnvelopeOpenError);
  assertEquals(thrown.error.code, "unsupported-payload-version");
  assertEquals(thrown.message, thrown.error.message);
  assertEquals<unknown>(unwrapOrThrow(wrap(5)), 5);
});

Deno.test("what is wrapped comes back, through JSON too", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (doc) => {
      assertEquals<unknown>(okValue(unwrap(wrap(doc))), doc);
      const stored: unknown = JSON.parse(JSON.stringify(wrap(doc)));
      assertEquals<unknown>(
        okValue(unwrap(stored)),
        JSON.parse(JSON.stringify(doc)),
      );
    }),
  );
});
