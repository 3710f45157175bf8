/**
 * The errors of provenance.
 *
 * @module
 */

/** Why a record can't be signed, verified or kept. */
export interface ProvenanceError {
  /**
   * - `signing-not-supported`: there is no key to sign with, or it can't be used.
   * - `missing-signature`: the record isn't signed.
   * - `unknown-key`: the key that signed isn't known, or can't be used.
   * - `signature-verification-failed`: the record isn't what was signed, or another key signed it.
   * - `emit-binding-missing`: records are to be kept, and nothing keeps them.
   * - `emit-failed`: keeping the record failed.
   */
  readonly code:
    | "signing-not-supported"
    | "missing-signature"
    | "unknown-key"
    | "signature-verification-failed"
    | "emit-binding-missing"
    | "emit-failed";
  /** What could not be done, and why; never a key. */
  readonly message: string;
  /** What was thrown or answered beneath. */
  readonly cause?: unknown;
}
