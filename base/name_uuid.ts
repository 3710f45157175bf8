/**
 * UUIDs that are derived from a name: the same name gives the same UUID (RFC 9562, version 5).
 *
 * @module
 */

import { createHash } from "node:crypto";

/** The version 5 UUID of a name, in UTF-8, within a namespace that is a UUID itself. */
export function nameUuid(namespace: string, name: string): string {
  const digest = createHash("sha1")
    .update(namespace.replaceAll("-", ""), "hex")
    .update(name, "utf8")
    .digest();
  digest[6] = digest[6]! & 0x0f | 0x50;
  digest[8] = digest[8]! & 0x3f | 0x80;
  const hex = digest.toString("hex");
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20, 32),
  ].join("-");
}
