/**
 * UUIDs that are derived from a name: the same name gives the same UUID (RFC 9562, version 5).
 *
 * @module
 */

import { createHash } from "node:crypto";

/** The version 5 UUID of a name, in UTF-8, within a namespace that is a UUID itself. */
export function nameUuid(namespace: string, name: string): string {
  const hex = createHash("sha1")
    .update(bytesOf(namespace))
    .update(name, "utf8")
    .digest("hex");
  // The version, 5, and the variant: two bits of the 17th digit.
  const variant = (parseInt(hex[16]!, 16) & 0x3 | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${
    hex.slice(13, 16)
  }-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** The bytes of the last namespace: there are few, and reading one takes longer than the digest. */
let known = { namespace: "", bytes: new Uint8Array() };

function bytesOf(namespace: string): Uint8Array {
  if (known.namespace !== namespace) {
    const bytes = Uint8Array.from(
      namespace.replaceAll("-", "").match(/../g) ?? [],
      (digits) => parseInt(digits, 16),
    );
    known = { namespace, bytes };
  }
  return known.bytes;
}
