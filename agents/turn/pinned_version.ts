/**
 * Versions by id, as journals and agents have them.
 *
 * @module
 */

/** The version that is kept for an id; `undefined` where there is none, whatever the id is called. */
export function pinnedVersion(
  versions: Readonly<Record<string, string>> | undefined,
  id: string,
): string | undefined {
  return versions !== undefined && Object.hasOwn(versions, id)
    ? versions[id]
    : undefined;
}
