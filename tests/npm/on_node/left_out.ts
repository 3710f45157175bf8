/** Which tests don't run on Node, and why; README, "On Node", says the same. */

/** Test files that are left out. */
export interface LeftOut {
  /** Files or folders, from the folder `tests`. */
  readonly paths: readonly string[];
  /** What they test that Node doesn't have. */
  readonly why: string;
  /** The module of Node's that they need, where only that is missing. */
  readonly without?: string;
}

/**
 * Everything that is left out: any other test file runs on Node. Single tests of what Node doesn't have are tagged where
 * they stand (`tests/runtime.ts`).
 */
export const LEFT_OUT: readonly LeftOut[] = [
  {
    paths: [
      "bench",
      "configs_test.ts",
      "examples",
      "house_graph_test.ts",
      "house_test.ts",
      "npm",
      "readme_test.ts",
      "scripts",
    ],
    why: "this checkout's own sources, texts, scripts and examples",
  },
  {
    paths: ["indexer/hermetic_test.ts"],
    why: "modules imported in a child under Deno's permissions",
  },
  {
    paths: [
      "pack_service/dependencies_test.ts",
      "pack_service/executor_slot_test.ts",
      "pack_service/executors_loss_test.ts",
      "pack_service/process_streams_test.ts",
      "pack_service/sandbox_test.ts",
    ],
    why: "executors, the sandbox and a pack's own dependencies",
  },
  {
    paths: [
      "indexer/command_test.ts",
      "pack_service/boot_test.ts",
      "pack_service/call_records_test.ts",
      "pack_service/checks_test.ts",
      "pack_service/deadline_test.ts",
      "pack_service/drain_test.ts",
      "pack_service/environment_test.ts",
      "pack_service/handlers_test.ts",
      "pack_service/http_test.ts",
      "pack_service/listen_address_test.ts",
      "pack_service/messages_test.ts",
      "pack_service/schemas_test.ts",
      "pack_service/settings_test.ts",
      "pack_service/signals_test.ts",
      "pack_service/slow_client_test.ts",
      "pack_service/tools_test.ts",
    ],
    why:
      "the package's commands from outside: these tests drive them from Deno",
  },
  {
    paths: [
      "agents/store/sqlite_file_test.ts",
      "agents/store/sqlite_processes_test.ts",
      "agents/store/sqlite_store_test.ts",
    ],
    why: "SQLite, where Node has none",
    without: "node:sqlite",
  },
];

/** Whether a test file, named from the folder `tests`, is left out on a Node that has these modules of its own. */
export function isLeftOut(file: string, builtIn: ReadonlySet<string>): boolean {
  return LEFT_OUT.some(({ paths, without }) =>
    (without === undefined || !builtIn.has(without)) &&
    paths.some((path) => file === path || file.startsWith(`${path}/`))
  );
}
