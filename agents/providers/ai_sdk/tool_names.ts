/**
 * Tool ids as names that every model takes, and back.
 *
 * @module
 */

import { createHash } from "node:crypto";

/** The longest name that providers agree on, in characters. */
const MAX_LENGTH = 64;
const HASH_LENGTH = 8;
const OTHER_CHARACTERS = /[^A-Za-z0-9_-]/gu;

/** The names of one call's tools. */
export interface ToolNames {
  /** The name that the model sees for a tool's id. */
  encode(id: string): string;
  /** The id behind a name; a name that stands for none comes back as it is. */
  decode(name: string): string;
}

/**
 * Names tools for one call.
 *
 * A name has letters, digits, `_` and `-`, at most 64 of them: other characters of an id become `_`. Where that is too
 * long, or two ids would have one name, the name ends with a hash of its id, so that every id keeps a name of its own and
 * the same one in every call with these tools.
 */
export function nameTools(ids: Iterable<string>): ToolNames {
  const byId = new Map<string, string>();
  const byName = new Map<string, string>();
  const take = (id: string, name: string): void => {
    byId.set(id, name);
    byName.set(name, id);
  };
  const all = [...new Set(ids)];
  // An id that is a name already keeps it, whatever others would like to be called.
  const ready = all.filter((id) => plainName(id) === id);
  for (const id of ready) take(id, id);
  for (const id of all) {
    if (byId.has(id)) continue;
    const plain = plainName(id);
    const twins = all.filter((other) => plainName(other) === plain);
    let name = twins.length > 1 || plain === "" ? hashedName(id, plain) : plain;
    // Somebody may have made an id that looks like another's name.
    while (byName.has(name)) name = hashedName(`${id} ${name}`, plain);
    take(id, name);
  }
  return {
    encode: (id) => byId.get(id) ?? plainName(id),
    decode: (name) => byName.get(name) ?? name,
  };
}

function plainName(id: string): string {
  const name = id.replaceAll(OTHER_CHARACTERS, "_");
  return name.length > MAX_LENGTH ? hashedName(id, name) : name;
}

function hashedName(id: string, name: string): string {
  const hash = createHash("sha256").update(id).digest("hex");
  const kept = name.slice(0, MAX_LENGTH - HASH_LENGTH - 1);
  return `${kept}_${hash.slice(0, HASH_LENGTH)}`;
}
