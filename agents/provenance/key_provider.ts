/**
 * Where signing keys come from.
 *
 * @module
 */

import { err, ok, type Result } from "../../base/result.ts";
import type { ProvenanceError } from "./errors.ts";

/** A key that signs. */
export interface SigningKey {
  /** Names the pair of keys. */
  readonly keyId: string;
  /** The only algorithm. */
  readonly algorithm: "ed25519";
  /** The private key: PKCS #8 in DER, base64. A secret. */
  readonly privateKey: string;
}

/** A key that verifies. */
export interface VerificationKey {
  /** Names the pair of keys. */
  readonly keyId: string;
  /** The only algorithm. */
  readonly algorithm: "ed25519";
  /** The public key: SubjectPublicKeyInfo in DER, base64. */
  readonly publicKey: string;
}

/** A pair of keys. */
export interface SigningKeyPair extends SigningKey, VerificationKey {}

/** An answer of a key provider, at once or later. */
export type KeyAnswer<Key> =
  | Result<Key, ProvenanceError>
  | Promise<Result<Key, ProvenanceError>>;

/** Gives keys: from memory, a vault, a key service. */
export interface KeyProvider {
  /** The key that signs a tenant's records; `signing-not-supported` when there is none. */
  signingKey(tenantId: string): KeyAnswer<SigningKey>;
  /** The key that verifies what the pair of this id signed, retired pairs too; `unknown-key` when there is none. */
  verificationKey(keyId: string): KeyAnswer<VerificationKey>;
  /** The deployment's own verification key: what others are given to verify with. */
  deploymentKey(): KeyAnswer<VerificationKey>;
  /** What it is, for people; never a key. */
  describe(): string;
}

/** Makes a key provider that has one pair of keys, for every tenant. */
export function createStaticKeyProvider(pair: SigningKeyPair): KeyProvider {
  const { keyId, algorithm, privateKey, publicKey } = pair;
  const verifying = ok({ keyId, algorithm, publicKey });
  return {
    signingKey: () => ok({ keyId, algorithm, privateKey }),
    verificationKey: (asked) =>
      asked === keyId ? verifying : err({
        code: "unknown-key",
        message: `No key of the id ${
          JSON.stringify(asked)
        } is known; there is ${JSON.stringify(keyId)}`,
      }),
    deploymentKey: () => verifying,
    describe: () => `one key pair, ${keyId}`,
  };
}

/**
 * Makes a pair of Ed25519 keys.
 *
 * @param keyId Names the pair; a random UUID when absent.
 */
export async function generateSigningKey(
  keyId: string = crypto.randomUUID(),
): Promise<SigningKeyPair> {
  const pair = await crypto.subtle.generateKey("Ed25519", true, [
    "sign",
    "verify",
  ]) as CryptoKeyPair;
  const [privateKey, publicKey] = await Promise.all([
    crypto.subtle.exportKey("pkcs8", pair.privateKey),
    crypto.subtle.exportKey("spki", pair.publicKey),
  ]);
  return {
    keyId,
    algorithm: "ed25519",
    privateKey: base64(privateKey),
    publicKey: base64(publicKey),
  };
}

function base64(bytes: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)));
}
