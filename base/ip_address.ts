/**
 * Telling IP addresses from host names.
 *
 * @module
 */

/** Whether a text is an IPv6 address, without brackets. */
export function isIPv6(text: string): boolean {
  return text.includes(":") && URL.canParse(`http://[${text}]/`);
}
