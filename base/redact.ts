/**
 * Making any value fit to be logged: no secrets, bounded, writable as JSON, whatever it is.
 *
 * @module
 */

/** What stands in place of a secret. */
export const REDACTED = "[redacted]";

/** How deep a logged value is followed. */
const MAX_DEPTH = 8;
/** How many values a logged value may hold in all, itself included. */
const MAX_VALUES = 2_000;
/** Longest string that is logged in full, in UTF-16 code units. */
const MAX_TEXT = 16_384;

const UNREADABLE = "[unreadable]";

const SECRET_KEY =
  /(?:authorization|cookie|token|password|passwd|secrets?|apikey|privatekey|passphrase|credentials?)$/;

/** Answers of {@link isSecretKey}, since the same few keys come again with every record. */
const secretKeys = new Map<string, boolean>();
const MAX_REMEMBERED_KEYS = 1_024;

/**
 * Whether a field's key says that its value is a secret (`spec/handler_runtime.md` 5).
 *
 * Compared lower-case, without `-` and `_`, by how it ends: `API_KEY` and `x-session-token` are, `promptTokens` is not.
 */
export function isSecretKey(key: string): boolean {
  const known = secretKeys.get(key);
  if (known !== undefined) return known;
  const secret = SECRET_KEY.test(key.toLowerCase().replace(/[-_]/g, ""));
  if (secretKeys.size < MAX_REMEMBERED_KEYS) secretKeys.set(key, secret);
  return secret;
}

/** A cheap look: only a text that this finds something in can hold what the patterns below mask. */
const SUSPECT = /:\/\/|bearer|kgi_|kindgi_/i;

// Every pattern starts at a literal and none repeats a repetition, so the time taken stays linear in the text.
const BEARER = /\b(bearer)\s+[^\s"',;]+/gi;
const URL_PASSWORD = /(:\/\/[^\s:@/?#"']*):[^\s/?#"']+@/g;
const KINDGI_TOKEN = /\b(kgi|kindgi)_[A-Za-z0-9_-]{16,}/g;

/**
 * Masks the secrets that can be told by their form inside a text.
 *
 * These are what follows `Bearer`, the password of a URL, and Kindgi tokens: `kgi_` or `kindgi_`, lower case, and at
 * least 16 letters, digits, `_` or `-`. (The variables' names, `KINDGI_…`, are upper case and stay.)
 */
export function redactText(text: string): string {
  if (!SUSPECT.test(text)) return text;
  return text
    .replace(BEARER, `$1 ${REDACTED}`)
    .replace(URL_PASSWORD, `$1:${REDACTED}@`)
    .replace(KINDGI_TOKEN, `$1_${REDACTED}`);
}

/** A text for a record: masked first, then cut, so that no half of a secret is left over at the cut. */
export function logText(text: string): string {
  const masked = redactText(text);
  return masked.length <= MAX_TEXT
    ? masked
    : `${masked.slice(0, MAX_TEXT)}… (${masked.length - MAX_TEXT} more)`;
}

/**
 * A copy of a value that JSON can write and that holds no secret; `undefined` where JSON would leave the value out.
 *
 * Never throws, whatever the value does. Deeper than 8 levels, more than 2 000 values and texts over 16 384 characters
 * are cut; cycles, getters that throw, functions and binary data are named in square brackets. Errors keep `name`,
 * `message`, `stack`, `cause` and their own fields; a BigInt becomes its decimal text.
 */
export function logValue(value: unknown): unknown {
  return copy(value, { open: [], left: MAX_VALUES });
}

/**
 * The fields of whatever was given as such: an object's own, an error under `error`, anything else under `value`.
 *
 * Never throws; a field whose getter does reads `[unreadable]`. The answer is a plain object of plain data properties
 * without a prototype.
 */
export function readFields(given: unknown): Record<string, unknown> {
  const fields: Record<string, unknown> = Object.create(null);
  if (given === undefined || given === null) return fields;
  try {
    if (given instanceof Error) fields.error = given;
    else if (typeof given !== "object" || Array.isArray(given)) {
      fields.value = given;
    } else for (const key of Object.keys(given)) fields[key] = read(given, key);
  } catch {
    fields.value = UNREADABLE;
  }
  return fields;
}

/** The state of one copy: the objects that are being copied, outermost first, and how many values are left. */
interface Copying {
  readonly open: object[];
  left: number;
}

function copy(value: unknown, state: Copying): unknown {
  if (value === undefined || value === null) return value;
  switch (typeof value) {
    case "string":
      return logText(value);
    case "number":
      return Number.isFinite(value) ? value : String(value);
    case "boolean":
      return value;
    case "bigint":
    case "symbol":
      return String(value);
    case "function":
      return "[function]";
  }
  if (state.open.includes(value)) return "[circular]";
  if (state.open.length >= MAX_DEPTH) return "[nested too deep]";
  state.open.push(value);
  try {
    return copyObject(value, state);
  } catch {
    return UNREADABLE;
  } finally {
    state.open.pop();
  }
}

function copyObject(value: object, state: Copying): unknown {
  if (Array.isArray(value)) return copyList(value, state);
  if (value instanceof Set) return copyList(value, state);
  if (value instanceof Map) {
    const named = function* (): Iterable<[string, () => unknown]> {
      for (const [key, item] of value) yield [String(key), () => item];
    };
    return copyEntries(named(), state);
  }
  if (value instanceof Error) return copyError(value, state);
  if (value instanceof RegExp) return logText(String(value));
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
    return `[binary, ${value.byteLength} bytes]`;
  }
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === "function") {
    const written: unknown = toJSON.call(value);
    if (written !== value) return copy(written, state);
  }
  return copyEntries(ownEntries(value), state);
}

function copyList(items: Iterable<unknown>, state: Copying): unknown[] {
  const list: unknown[] = [];
  for (const item of items) {
    if (state.left-- <= 0) {
      list.push("[more]");
      break;
    }
    list.push(copy(item, state) ?? null);
  }
  return list;
}

function copyEntries(
  entries: Iterable<[string, () => unknown]>,
  state: Copying,
): Record<string, unknown> {
  // Without a prototype a key named "__proto__" is a key like any other.
  const object: Record<string, unknown> = Object.create(null);
  for (const [key, readItem] of entries) {
    if (state.left-- <= 0) {
      object["…"] = "[more]";
      break;
    }
    const item = isSecretKey(key) ? REDACTED : copy(readItem(), state);
    if (item !== undefined) object[key] = item;
  }
  return object;
}

function copyError(error: Error, state: Copying): Record<string, unknown> {
  const entries: [string, () => unknown][] = [];
  for (const key of ["name", "message", "stack", "cause"]) {
    if (key in error) entries.push([key, () => read(error, key)]);
  }
  for (const entry of ownEntries(error)) {
    if (!entries.some(([key]) => key === entry[0])) entries.push(entry);
  }
  return copyEntries(entries, state);
}

function* ownEntries(value: object): Iterable<[string, () => unknown]> {
  for (const key of Object.keys(value)) yield [key, () => read(value, key)];
}

/** A property's value; a getter that throws is the pack's business, not the log's. */
function read(value: object, key: string): unknown {
  try {
    return (value as Record<string, unknown>)[key];
  } catch {
    return UNREADABLE;
  }
}
