import fc from "fast-check";
import {
  createProvenanceBuilder,
  createStaticKeyProvider,
  generateSigningKey,
  persistProvenance,
  type ProvenanceBuilder,
  type ProvenanceEmitBinding,
  type ProvenanceRecord,
  signProvenance,
  verifyProvenance,
} from "../../../agents/provenance/mod.ts";
import {
  assert,
  assertEquals,
  assertMatch,
  assertNotEquals,
  errValue,
  okValue,
} from "../../assert.ts";

const AT = "2026-01-01T00:00:00.000Z";
const PAIR = await generateSigningKey("key-1");
const KEYS = createStaticKeyProvider(PAIR);

/** A builder that holds a question and an answer. */
function builder(): ProvenanceBuilder {
  const made = createProvenanceBuilder({
    runId: "run-1",
    tenantId: "t-1",
    createdAt: AT,
    flowRef: { id: "agent.turn", version: "1.1.0" },
  });
  made.addNode({ id: "input:1", kind: "input", timestamp: AT, actor: "u-9" });
  made.addNode({
    id: "model-call:1",
    kind: "model-call",
    timestamp: AT,
    modelVersion: "p/m1",
    attributes: { step: 1, finishReason: "stop" },
  });
  made.addEdge({ from: "model-call:1", to: "input:1", kind: "caused-by" });
  return made;
}

async function signed(): Promise<ProvenanceRecord> {
  return okValue(await builder().finalize(KEYS));
}

Deno.test("a record holds what was added, and its id derives from tenant and run", () => {
  const record = builder().snapshot();
  assertEquals(record.version, "1.0.0");
  assertEquals(record.createdAt, AT);
  assertEquals(record.nodes.map(({ id }) => id), ["input:1", "model-call:1"]);
  assertEquals(record.edges, [
    { from: "model-call:1", to: "input:1", kind: "caused-by" },
  ]);
  assert(!("signature" in record));
  const idOf = (runId: string, tenantId: string) =>
    createProvenanceBuilder({ runId, tenantId }).id;
  assertEquals(record.id, idOf("run-1", "t-1"));
  assertNotEquals(record.id, idOf("run-2", "t-1"));
  assertNotEquals(record.id, idOf("run-1", "t-2"));
});

Deno.test("a snapshot isn't changed by what is added later", () => {
  const made = builder();
  const before = made.snapshot();
  made.addNode({ id: "model-output:1", kind: "model-output", timestamp: AT });
  assertEquals(before.nodes.length, 2);
  assertEquals(made.snapshot().nodes.length, 3);
});

Deno.test("[149] a signed record verifies by provider and by public key, through JSON and in any order of keys", async () => {
  const record = await signed();
  assertEquals(record.signature?.algorithm, "ed25519");
  assertEquals(record.signature?.keyId, "key-1");
  const reordered = JSON.parse(
    JSON.stringify(Object.fromEntries(Object.entries(record).reverse())),
  );
  for (const form of [record, reordered]) {
    assertEquals(okValue(await verifyProvenance(form, KEYS)).keyId, "key-1");
    okValue(await verifyProvenance(form, PAIR.publicKey));
  }
});

Deno.test("[149] any change of what is covered breaks the signature", async () => {
  const record = await signed();
  const [first, second] = record.nodes;
  assert(first !== undefined && second !== undefined);
  const changes: Partial<ProvenanceRecord>[] = [
    { id: "other" },
    { runId: "run-2" },
    { tenantId: "t-2" },
    { version: "1.0.1" },
    { createdAt: "2026-01-02T00:00:00.000Z" },
    { flowRef: { id: "agent.turn", version: "1.1.1" } },
    { nodes: [second, first] },
    { nodes: [first] },
    { nodes: [{ ...first, timestamp: "2026-01-01T00:00:00.001Z" }, second] },
    {
      nodes: [
        first,
        { ...second, attributes: JSON.parse('{"step":1,"__proto__":{}}') },
      ],
    },
    { edges: [] },
  ];
  for (const change of changes) {
    const error = errValue(
      await verifyProvenance({ ...record, ...change }, KEYS),
    );
    assertEquals(error.code, "signature-verification-failed");
  }
});

Deno.test("a signature survives JSON, whatever a node carries", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 5 }),
      async (attributes) => {
        const made = builder();
        made.addNode({
          id: "x",
          kind: "retrieval",
          timestamp: AT,
          attributes,
        });
        const record = okValue(await made.finalize(KEYS));
        const read = JSON.parse(JSON.stringify(record));
        okValue(await verifyProvenance(read, PAIR.publicKey));
      },
    ),
    { numRuns: 30 },
  );
});

Deno.test("a record that isn't signed, or signed by another or an unknown key, doesn't verify", async () => {
  const record = await signed();
  const unsigned = builder().snapshot();
  assertEquals(
    errValue(await verifyProvenance(unsigned, KEYS)).code,
    "missing-signature",
  );
  // As a record that was kept elsewhere may come back.
  const emptied = { ...record, signature: null } as unknown as typeof record;
  assertEquals(
    errValue(await verifyProvenance(emptied, KEYS)).code,
    "missing-signature",
  );
  const other = await generateSigningKey("key-2");
  assertEquals(
    errValue(await verifyProvenance(record, createStaticKeyProvider(other)))
      .code,
    "unknown-key",
  );
  assertEquals(
    errValue(await verifyProvenance(record, other.publicKey)).code,
    "signature-verification-failed",
  );
  assertEquals(
    errValue(await verifyProvenance(record, "no key")).code,
    "unknown-key",
  );
  for (const value of ["", "%%%", btoa("short")]) {
    const signature = { ...record.signature!, value };
    assertEquals(
      errValue(await verifyProvenance({ ...record, signature }, KEYS)).code,
      "signature-verification-failed",
    );
  }
});

Deno.test("a key that can't be used doesn't sign, and isn't told", async () => {
  const broken = createStaticKeyProvider({ ...PAIR, privateKey: "c2VjcmV0" });
  const error = errValue(await signProvenance(builder().snapshot(), broken));
  assertEquals(error.code, "signing-not-supported");
  assert(!error.message.includes("c2VjcmV0"));
  const throwing = {
    ...KEYS,
    signingKey: () => Promise.reject(new Error("vault sealed")),
  };
  assertMatch(
    errValue(await builder().finalize(throwing)).message,
    /vault sealed/,
  );
});

Deno.test("a deployment's key and description name the pair and hold no private key", async () => {
  assertEquals(okValue(await KEYS.deploymentKey()), {
    keyId: "key-1",
    algorithm: "ed25519",
    publicKey: PAIR.publicKey,
  });
  assert(!KEYS.describe().includes(PAIR.privateKey));
  const one = await generateSigningKey();
  assertNotEquals(one.keyId, (await generateSigningKey()).keyId);
});

/** A binding that keeps what it gets. */
function keeping() {
  const kept: unknown[][] = [];
  const emitBinding: ProvenanceEmitBinding = {
    emit(...given) {
      kept.push(given);
      return Promise.resolve({ kind: "ok", value: undefined });
    },
  };
  return { kept, emitBinding };
}

Deno.test("[146] a record is kept with its project beside it, not in it", async () => {
  const { kept, emitBinding } = keeping();
  const { record, persisted } = okValue(
    await persistProvenance(
      builder(),
      { emit: true, emitBinding, keyProvider: KEYS },
      { projectId: "p-1" },
    ),
  );
  assert(persisted);
  assertEquals(kept, [[record, { projectId: "p-1" }]]);
  assert(!("projectId" in record));
  okValue(await verifyProvenance(record, KEYS));
});

Deno.test("without emit the record is made and not kept, unsigned without keys", async () => {
  const { kept, emitBinding } = keeping();
  const { record, persisted } = okValue(
    await persistProvenance(builder(), { emitBinding }, {}),
  );
  assert(!persisted && kept.length === 0 && !("signature" in record));
});

Deno.test("[147] keeping that fails, throws or isn't bound is an error, never a throw", async () => {
  const failing: ProvenanceEmitBinding[] = [
    {
      emit: () =>
        Promise.resolve({
          kind: "err",
          error: { code: "persistence-error", message: "full", cause: null },
        }),
    },
    { emit: () => Promise.reject(new Error("full")) },
    {
      emit: () => {
        throw new Error("full");
      },
    },
  ];
  for (const emitBinding of failing) {
    const error = errValue(
      await persistProvenance(builder(), { emit: true, emitBinding }, {}),
    );
    assertEquals(error.code, "emit-failed");
    assertMatch(error.message, /full$/);
  }
  assertEquals(
    errValue(await persistProvenance(builder(), { emit: true }, {})).code,
    "emit-binding-missing",
  );
});
