/**
 * The names that Zod writes as `format` and JSON Schema doesn't know.
 *
 * @module
 */

/**
 * Formats of Zod 4 beyond JSON Schema's. Zod writes the rule itself beside them, as `pattern`, so the name only
 * annotates; refusing it would refuse what Zod makes of `z.string().startsWith("a")` or `z.ulid()`.
 */
export const ZOD_FORMATS: readonly string[] = Object.freeze([
  "includes",
  "starts_with",
  "ends_with",
  "lowercase",
  "uppercase",
  "hex",
  "nanoid",
  "cuid",
  "cuid2",
  "ulid",
  "xid",
  "ksuid",
  "base64",
  "base64url",
  "emoji",
  "jwt",
  "e164",
  "cidrv4",
  "cidrv6",
  "mac",
  "json_string",
  "template_literal",
  ...["md5", "sha1", "sha256", "sha384", "sha512"].flatMap((hash) =>
    ["hex", "base64", "base64url"].map((encoding) => `${hash}_${encoding}`)
  ),
]);
