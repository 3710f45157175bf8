/**
 * Opening the store that a command line names.
 *
 * @module
 */
import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import process from "node:process";
import { type AgentStore, createMemoryStore } from "../../agents/mod.ts";
import { CannotStart, reasonOf } from "./cannot_start.ts";

/** The variable that names the store where the command line doesn't. */
export const STORE_VAR = "KINDGI_STORE";

/** The line about `--store` in a command's help. */
export const STORE_HELP =
  `  --store WHERE       a file (SQLite; made when missing), sqlite:FILE, or postgres://…`;
/** The same where a file that is missing isn't made. */
export const KNOWN_STORE_HELP =
  `  --store WHERE       a file (SQLite), sqlite:FILE, or postgres://…`;

/** Where a store is. */
export type StorePlace =
  | {
    /** In this process alone. */
    readonly kind: "memory";
  }
  | {
    /** One file. */
    readonly kind: "sqlite";
    /** Its absolute path. */
    readonly path: string;
  }
  | {
    /** A database. */
    readonly kind: "postgres";
    /** Its URL, which may hold a password. */
    readonly url: string;
  };

/** Reads what `--store` says; paths are meant from `folder`. A text says what is wrong. */
export function readStorePlace(
  where: string,
  folder: string,
): StorePlace | string {
  // SQLite's own name for it would else be a file's.
  if (where === "memory" || /^(sqlite:)?:memory:$/.test(where)) {
    return { kind: "memory" };
  }
  if (/^postgres(ql)?:\/\//.test(where)) {
    return URL.canParse(where)
      ? { kind: "postgres", url: where }
      : "--store is no URL that a database has: postgres://USER:PASSWORD@HOST:PORT/DATABASE";
  }
  const path = where.replace(/^sqlite:/, "");
  // A scheme, and no drive or file name with a colon somewhere.
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(path)) {
    return `--store ${
      path.split(":")[0]
    }://… is nothing that is known: give a file, postgres://… or memory`;
  }
  return path === ""
    ? "--store is empty: give a file, postgres://… or memory"
    : { kind: "sqlite", path: resolve(folder, path) };
}

/** The same for what several processes share: the variable counts where `--store` is left out, and memory is no place. */
export function readSharedPlace(
  given: string | undefined,
  folder: string,
): StorePlace | string {
  const where = given ?? (process.env[STORE_VAR] || undefined);
  if (where === undefined) {
    return `name the store with --store, or in ${STORE_VAR}`;
  }
  const place = readStorePlace(where, folder);
  return typeof place === "object" && place.kind === "memory"
    ? "a store in memory is another one in every process: give a file or postgres://…"
    : place;
}

/** A store's place for people: a URL without its password. */
export function shownPlace(place: StorePlace): string {
  switch (place.kind) {
    case "memory":
      return "memory";
    case "sqlite":
      return place.path;
    case "postgres": {
      const { protocol, host, pathname } = new URL(place.url);
      return `${protocol}//${host}${pathname}`;
    }
  }
}

/**
 * Opens a store; `mustExist` refuses a file that isn't there, or holds something else, instead of making a store of it.
 *
 * @throws {CannotStart} If it can't be opened.
 */
export async function openStore(
  place: StorePlace,
  { mustExist = false }: { readonly mustExist?: boolean } = {},
): Promise<AgentStore> {
  const named = `Cannot open the store ${shownPlace(place)}`;
  if (place.kind === "sqlite" && !isThere(dirname(place.path))) {
    throw new CannotStart(`${named}: there is no such folder`);
  }
  try {
    return await opened(place, mustExist);
  } catch (thrown) {
    const reason = reasonOf(thrown);
    // Stores of a file name it themselves.
    throw new CannotStart(
      place.kind === "sqlite" ? reason : `${named}: ${reason}`,
    );
  }
}

/** Each kind loads its driver only when it is wanted. */
async function opened(
  place: StorePlace,
  mustExist: boolean,
): Promise<AgentStore> {
  switch (place.kind) {
    case "memory":
      return createMemoryStore();
    case "sqlite": {
      const { openSqliteStore } = await import(
        "../../agents/store/sqlite.ts"
      );
      return await openSqliteStore(place.path, { mustExist });
    }
    case "postgres": {
      const { openPostgresStore } = await import(
        "../../agents/store/postgres.ts"
      );
      return await openPostgresStore({ url: place.url });
    }
  }
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
