/**
 * What changed between two indexes, in terms of what it means (decision 14).
 *
 * @module
 */
import { compareCodeUnits } from "../base/canonical_json.ts";
import { isRecord } from "../base/result.ts";
import { KIND_FOLDERS, PRIMITIVE_KINDS, type PrimitiveKind } from "./kinds.ts";
import {
  PERMISSION_FIELDS,
  permissionDirection,
} from "./permission_difference.ts";
import {
  type ChangeDirection,
  moved,
  sameJson,
  schemaChanges,
} from "./schema_difference.ts";

/** One difference of two indexes. */
export interface IndexDifference {
  /** What it is about: an entry of a kind, or the pack itself. */
  readonly subject: PrimitiveKind | "pack";
  /** The entry's id; absent for the pack. */
  readonly id?: string;
  /** The entry's version in the later index (the earlier one's when it was removed), where it has one. */
  readonly version?: string;
  /** The field; absent when a whole entry was added or removed. */
  readonly field?: string;
  /** What happened: schemas and permissions narrow and widen. */
  readonly change: "added" | "removed" | ChangeDirection;
  /** The change in a few words, one each. */
  readonly details: readonly string[];
}

type Entry = Record<string, unknown>;

/** Fields that hold a JSON Schema. */
const SCHEMA_FIELDS: ReadonlySet<string> = new Set([
  "configSchema",
  "input",
  "output",
]);

/** Every difference between an earlier index and a later one: the pack's first, then by kind and id. */
export function indexDifferences(
  before: unknown,
  after: unknown,
): IndexDifference[] {
  const [old, now] = [recordOf(before), recordOf(after)];
  const lists: ReadonlySet<string> = new Set(Object.values(KIND_FOLDERS));
  const ofPack = fieldNames(old, now).filter((name) => !lists.has(name))
    .flatMap((field): IndexDifference[] => {
      if (sameJson(old[field], now[field])) return [];
      const details = [moved(old[field], now[field])];
      return [{ subject: "pack", field, change: "changed", details }];
    });
  const ofEntries = PRIMITIVE_KINDS.flatMap((kind) => {
    const list = KIND_FOLDERS[kind];
    return entryDifferences(kind, entriesOf(old[list]), entriesOf(now[list]));
  });
  return [...ofPack, ...ofEntries];
}

/** A difference as one line, such as `tool acme.lookup 1.0.0: input narrowed (/properties/q/minLength 1 → 3)`. */
export function describeDifference(difference: IndexDifference): string {
  const { subject, id, version, field, change, details } = difference;
  const name = [subject, id, version].filter((part) => part !== undefined)
    .join(" ");
  const what = [
    field !== undefined && PERMISSION_FIELDS.has(field)
      ? `${field} permission`
      : field,
    change,
  ].filter((part) => part !== undefined).join(" ");
  return `${name}: ${what}${
    details.length === 0 ? "" : ` (${details.join("; ")})`
  }`;
}

function entryDifferences(
  kind: PrimitiveKind,
  before: readonly Entry[],
  after: readonly Entry[],
): IndexDifference[] {
  const differences: IndexDifference[] = [];
  for (const [old, now] of pairs(before, after)) {
    const entry = now ?? old;
    const name = {
      subject: kind,
      ...(typeof entry?.id === "string" ? { id: entry.id } : {}),
      ...(typeof entry?.version === "string" ? { version: entry.version } : {}),
    };
    if (old && now) {
      for (const field of fieldNames(old, now)) {
        if (sameJson(old[field], now[field])) continue;
        const change = fieldChange(field, old[field], now[field]);
        differences.push({ ...name, field, ...change });
      }
    } else {
      const change = now ? "added" : "removed";
      differences.push({ ...name, change, details: [] });
    }
  }
  return differences;
}

/** Entries of one id and version belong together; so do the only ones of an id, whose version changed. */
function pairs(
  before: readonly Entry[],
  after: readonly Entry[],
): [Entry | undefined, Entry | undefined][] {
  const ids = [...new Set([...before, ...after].map((entry) => entry.id))];
  ids.sort((a, b) => compareCodeUnits(String(a), String(b)));
  const [oldById, nowById] = [groupedById(before), groupedById(after)];
  return ids.flatMap((id): [Entry | undefined, Entry | undefined][] => {
    const [old, now] = [oldById.get(id) ?? [], nowById.get(id) ?? []];
    if (old.length === 1 && now.length === 1) return [[old[0], now[0]]];
    const versionIn = (list: Entry[], version: unknown) =>
      list.find((entry) => entry.version === version);
    const versions = [
      ...new Set([...old, ...now].map((entry) => entry.version)),
    ];
    return versions.map((version) => [
      versionIn(old, version),
      versionIn(now, version),
    ]);
  });
}

function groupedById(entries: readonly Entry[]): Map<unknown, Entry[]> {
  const groups = new Map<unknown, Entry[]>();
  for (const entry of entries) {
    const group = groups.get(entry.id);
    if (group) group.push(entry);
    else groups.set(entry.id, [entry]);
  }
  return groups;
}

function fieldChange(
  field: string,
  before: unknown,
  after: unknown,
): Pick<IndexDifference, "change" | "details"> {
  if (PERMISSION_FIELDS.has(field)) {
    return {
      change: permissionDirection(field, before, after),
      details: [moved(before, after)],
    };
  }
  if (
    !SCHEMA_FIELDS.has(field) || before === undefined || after === undefined
  ) {
    return { change: "changed", details: [moved(before, after)] };
  }
  const changes = schemaChanges(before, after);
  const [only, ...others] = new Set(changes.map((change) => change.direction));
  return {
    change: only !== undefined && others.length === 0 ? only : "changed",
    details: changes.map(({ pointer, what }) => `${pointer} ${what}`.trim()),
  };
}

function fieldNames(a: Entry, b: Entry): string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].sort(
    compareCodeUnits,
  );
}

function recordOf(value: unknown): Entry {
  return isRecord(value) ? value : {};
}

function entriesOf(value: unknown): Entry[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
