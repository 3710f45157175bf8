/**
 * The process entry of `kindgi-index`. Imported, it only offers {@link main}; started, it runs it on its arguments and ends
 * with its exit code.
 *
 * @module
 */
import { realpathSync } from "node:fs";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { main } from "./command.ts";

export { main };

/** Whether this module is what the process was started with, also through a link as `node_modules/.bin` has it. */
function isProcessEntry(): boolean {
  // Node 20 doesn't say.
  const { main: started } = import.meta as { main?: boolean };
  if (started !== undefined) return started;
  const entry = process.argv[1];
  return entry !== undefined &&
    pathToFileURL(realpathSync(entry)).href === import.meta.url;
}

if (isProcessEntry()) {
  // Set, not called: what is still being written to a pipe gets out first.
  process.exitCode = await main(process.argv.slice(2));
}
