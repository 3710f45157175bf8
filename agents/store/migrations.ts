/**
 * Where the SQL of the agents' tables is, for a host's own migration runner. `./agents/postgres` needs no runner: opening a
 * store migrates it.
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import { MIGRATIONS_URL } from "./migration_files.ts";

export { AGENTS_TENANT_SCOPED_TABLES } from "./tables.ts";

/**
 * The folder of the bundled SQL migrations: files that are run in the order of their names, statement by statement (parted
 * by `--> statement-breakpoint`).
 *
 * An absolute path where the package is on a disk (npm, a checkout); the folder's URL where it was imported from a server,
 * as from JSR: fetch the files from there.
 */
export const AGENTS_MIGRATIONS_DIR: string = MIGRATIONS_URL.protocol === "file:"
  ? fileURLToPath(MIGRATIONS_URL).replace(/[/\\]$/, "")
  : MIGRATIONS_URL.href;
