/** The runtime and its worker on the stores that need no server. */
import { createMemoryStore } from "../../../agents/mod.ts";
import { openSqliteStore } from "../../../agents/store/sqlite.ts";
import { NEEDS_SQLITE } from "../../runtime.ts";
import { runtimeContract } from "./contract.ts";

runtimeContract("memory", createMemoryStore);
runtimeContract(
  "SQLite",
  (input) => openSqliteStore(":memory:", input),
  NEEDS_SQLITE,
);
