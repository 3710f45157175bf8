/**
 * Signing records and verifying them: Ed25519 (RFC 8032) by WebCrypto over canonical JSON (`spec/agents_turn.md` 14.4).
 *
 * @module
 */

import { isoTime } from "../../base/iso_time.ts";
import { Buffer } from "node:buffer";
import { createPrivateKey, type KeyObject, sign } from "node:crypto";
import { sortedJson } from "../../base/sorted_json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { reasonOf } from "../agent/mod.ts";
import type { ProvenanceError } from "./errors.ts";
import type { KeyProvider } from "./key_provider.ts";
import type { ProvenanceRecord } from "./record.ts";

const ALGORITHM = "Ed25519";

const ENCODER = new TextEncoder();

/** A record with its signature. */
export interface SignedProvenanceRecord extends ProvenanceRecord {
  /** The signature. */
  readonly signature: NonNullable<ProvenanceRecord["signature"]>;
}

/**
 * Signs a record with its tenant's key.
 *
 * Covered is everything but the signature itself: id, run, tenant, version, time, flow, nodes and edges. The order of keys
 * doesn't count, the order of nodes and edges does. A signature that the record has is replaced.
 */
export async function signProvenance(
  record: ProvenanceRecord,
  keys: KeyProvider,
): Promise<Result<SignedProvenanceRecord, ProvenanceError>> {
  try {
    const asked = keys.signingKey(record.tenantId);
    const answer = asked instanceof Promise ? await asked : asked;
    if (answer.kind === "err") return answer;
    const { keyId, privateKey } = answer.value;
    // A quarter of what WebCrypto takes for it, on either runtime.
    const value = sign(null, covered(record), readPrivateKey(privateKey));
    return ok(Object.freeze({
      ...record,
      signature: Object.freeze({
        algorithm: "ed25519",
        keyId,
        value: value.toString("base64"),
        signedAt: isoTime(Date.now()),
      }),
    }));
  } catch (cause) {
    return err({
      code: "signing-not-supported",
      message: `Cannot sign provenance record ${record.id}: ${reasonOf(cause)}`,
      cause,
    });
  }
}

/**
 * Verifies a record.
 *
 * @param keys A key provider, which is asked for the key that the signature names, or a public key (SubjectPublicKeyInfo in
 * DER, base64), which is used whatever the signature names.
 * @returns The id of the key that signed it.
 */
export async function verifyProvenance(
  record: ProvenanceRecord,
  keys: KeyProvider | string,
): Promise<Result<{ readonly keyId: string }, ProvenanceError>> {
  // A record that comes from elsewhere may hold anything there.
  const signature = record.signature ?? undefined;
  if (signature === undefined) {
    return err({
      code: "missing-signature",
      message: `Provenance record ${record.id} is not signed`,
    });
  }
  const { keyId } = signature;
  const key = await publicKeyOf(keyId, keys);
  if (key.kind === "err") return key;
  try {
    const valid = signature.algorithm === "ed25519" &&
      await crypto.subtle.verify(
        ALGORITHM,
        key.value,
        fromBase64(signature.value),
        covered(record),
      );
    return valid ? ok({ keyId }) : err(refused(record));
  } catch (cause) {
    return err({ ...refused(record), cause });
  }
}

async function publicKeyOf(
  keyId: string,
  keys: KeyProvider | string,
): Promise<Result<CryptoKey, ProvenanceError>> {
  try {
    let publicKey = keys;
    if (typeof publicKey !== "string") {
      const answer = await publicKey.verificationKey(keyId);
      if (answer.kind === "err") return answer;
      publicKey = answer.value.publicKey;
    }
    return ok(
      await crypto.subtle.importKey(
        "spki",
        fromBase64(publicKey),
        ALGORITHM,
        false,
        ["verify"],
      ),
    );
  } catch (cause) {
    return err({
      code: "unknown-key",
      message: `Cannot use the key ${JSON.stringify(keyId)} to verify: ${
        reasonOf(cause)
      }`,
      cause,
    });
  }
}

function refused({ id }: ProvenanceRecord): ProvenanceError {
  return {
    code: "signature-verification-failed",
    message:
      `The signature of provenance record ${id} doesn't fit it: it was changed, or another key signed it`,
  };
}

/** The bytes that a signature covers. */
function covered(record: ProvenanceRecord): Uint8Array<ArrayBuffer> {
  const { id, runId, tenantId, version, createdAt, flowRef, nodes, edges } =
    record;
  return ENCODER.encode(
    sortedJson({
      createdAt,
      edges,
      flowRef,
      id,
      nodes,
      runId,
      tenantId,
      version,
    }),
  );
}

/** Keys that were read, by their text: a key signs many records, and reading it takes longer than signing. */
const privateKeys = new Map<string, KeyObject>();
const MAX_PRIVATE_KEYS = 100;

function readPrivateKey(text: string): KeyObject {
  let key = privateKeys.get(text);
  if (key === undefined) {
    key = createPrivateKey({
      key: Buffer.from(fromBase64(text)),
      format: "der",
      type: "pkcs8",
    });
    if (key.asymmetricKeyType !== "ed25519") {
      throw new TypeError(
        `the key is no Ed25519 key but ${key.asymmetricKeyType}`,
      );
    }
    if (privateKeys.size >= MAX_PRIVATE_KEYS) privateKeys.clear();
    privateKeys.set(text, key);
  }
  return key;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
