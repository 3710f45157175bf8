/**
 * Finding the Zod that made a schema, so that the pack's own version converts it and never ours.
 *
 * From 4.2 on a schema of Zod carries its converter (`schema.toJSONSchema`). One of 4.0, 4.1, Zod Mini or the `zod/v4`
 * of a 3.25 doesn't: there the library is looked up from the module that holds the schema, and taken only when it is the
 * very copy that made the schema, since another copy knows nothing of the schema's titles, descriptions and ids.
 *
 * @module
 */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { readFile } from "node:fs/promises";
import { isRecord } from "../base/result.ts";
import type { ZodSchema } from "../base/zod_schema.ts";

/** Zod's `z.toJSONSchema`: the JSON Schema of what a schema takes (`input`) or gives (`output`). Throws when there is none. */
export type ZodConverter = (
  schema: ZodSchema,
  options: { readonly io: "input" | "output" },
) => unknown;

/** What is used of Zod's own class record: the name and identity of the class, and the version of the library. */
interface ZodInternals {
  readonly constr?: { readonly name?: unknown };
  readonly version?: { major?: number; minor?: number; patch?: number };
}

const NAMES = [
  "zod",
  "zod/v4",
  "zod/mini",
  "zod/v4-mini",
  "zod/v4/mini",
  "@zod/mini",
];

const found = new WeakMap<object, ZodConverter>();

/**
 * The converter of the Zod that made a schema, or `undefined` when that library can't be reached.
 *
 * With `byVersion` the library is also looked for as `npm:zod@<version>`, as modules name it that use no import map. Only
 * for a process that is there to read a pack: under a frozen lock a version that isn't in it stops every later import.
 */
export async function findZodConverter(
  schema: ZodSchema,
  modulePath: string,
  byVersion: boolean,
): Promise<ZodConverter | undefined> {
  if (typeof ownMethod(schema) === "function") return convertWithOwnMethod;
  const { constr } = schema._zod as ZodInternals;
  if (typeof constr !== "function") return undefined;
  const known = found.get(constr);
  if (known) return known;
  for await (
    const library of candidates(
      schema,
      modulePath,
      byVersion,
    )
  ) {
    const converter = converterOf(library, constr);
    if (!converter) continue;
    found.set(constr, converter);
    return converter;
  }
  return undefined;
}

/** The version of Zod that made a schema, such as `4.0.0`, as the schema states it. */
export function zodVersion(schema: ZodSchema): string {
  const { version } = schema._zod as ZodInternals;
  return version
    ? `${version.major}.${version.minor}.${version.patch}`
    : "of an unknown version";
}

function ownMethod(schema: ZodSchema): unknown {
  return (schema as { toJSONSchema?: unknown }).toJSONSchema;
}

function convertWithOwnMethod(
  schema: ZodSchema,
  options: { readonly io: "input" | "output" },
): unknown {
  const method = ownMethod(schema) as (options: object) => unknown;
  return method.call(schema, options);
}

/** The library's converter if it is the copy whose class this is. */
function converterOf(
  library: unknown,
  constr: { readonly name?: unknown },
): ZodConverter | undefined {
  for (const names of [library, (library as { z?: unknown } | null)?.z]) {
    if (typeof names !== "object" || names === null) continue;
    const exports = names as Record<string, unknown>;
    const { toJSONSchema } = exports;
    if (typeof toJSONSchema !== "function") continue;
    if (exports[String(constr.name)] !== constr) continue;
    return (schema, options) => toJSONSchema(schema, options);
  }
  return undefined;
}

/** Everything that the schema's library may be, each loaded only when those before it were not it. */
async function* candidates(
  schema: ZodSchema,
  modulePath: string,
  byVersion: boolean,
): AsyncGenerator<unknown> {
  // As the pack's modules import it: through the import map, or from the pack's `node_modules`.
  for (const name of NAMES) {
    yield* loaded(() => import(name));
    const resolved = await resolveFrom(modulePath, name);
    for (const entry of resolved) yield* loaded(() => import(entry));
    yield* loaded(() => createRequire(pathToFileURL(modulePath))(name));
  }
  if (!byVersion) return;
  const exact = `npm:zod@${zodVersion(schema)}`;
  for (const path of ["", "/mini"]) {
    yield* loaded(() => import(`${exact}${path}`));
  }
}

async function* loaded(load: () => unknown): AsyncGenerator<unknown> {
  let library: unknown;
  try {
    library = await load();
  } catch {
    return;
  }
  yield library;
}

/** The ES module entry of a package as a module at `modulePath` would import it from `node_modules`. */
async function resolveFrom(
  modulePath: string,
  name: string,
): Promise<string[]> {
  const parts = name.split("/");
  const size = name.startsWith("@") ? 2 : 1;
  const key = [".", ...parts.slice(size)].join("/");
  for (let folder = dirname(modulePath);; folder = dirname(folder)) {
    const home = join(folder, "node_modules", ...parts.slice(0, size));
    try {
      const manifest = JSON.parse(
        await readFile(join(home, "package.json"), "utf8"),
      );
      const entry = isRecord(manifest.exports)
        ? manifest.exports[key]
        : undefined;
      const file = isRecord(entry) ? entry.import : undefined;
      return typeof file === "string"
        ? [pathToFileURL(join(home, file)).href]
        : [];
    } catch {
      if (dirname(folder) === folder) return [];
    }
  }
}
