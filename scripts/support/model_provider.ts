/**
 * The models that a command line names, opened.
 *
 * @module
 */
import { pathToFileURL } from "node:url";
import { stripVTControlCharacters } from "node:util";
import type { ModelProvider } from "../../agents/mod.ts";
import { CannotStart, reasonOf } from "./cannot_start.ts";
import type { ModelChoice } from "./model_choice.ts";
import { createSelfServiceModel } from "./self_service_model.ts";

/**
 * The providers of a choice.
 *
 * @throws {CannotStart} If there are none.
 */
export async function openProviders(
  choice: ModelChoice,
): Promise<readonly ModelProvider[]> {
  switch (choice.kind) {
    case "scripted":
      return [createSelfServiceModel()];
    case "server": {
      const { serverProvider } = await import("./server_provider.ts");
      return [serverProvider(choice)];
    }
    case "module":
      return await moduleProviders(choice.path);
  }
}

async function moduleProviders(path: string): Promise<ModelProvider[]> {
  const named = `Cannot use the providers of ${path}`;
  let given: unknown;
  try {
    ({ default: given } = await import(pathToFileURL(path).href));
  } catch (thrown) {
    throw new CannotStart(`${named}: ${importProblem(thrown)}`);
  }
  const providers = Array.isArray(given) ? given : [given];
  if (providers.length > 0 && providers.every(isProvider)) return providers;
  throw new CannotStart(
    `${named}: its default export is no model provider, and no list of them; write \`export default\` before what it makes`,
  );
}

/** Why a module can't be imported: this project's lock file is no news to whoever wrote it, and no diff helps. */
export function importProblem(thrown: unknown): string {
  // Deno colours what it says.
  const reason = stripVTControlCharacters(reasonOf(thrown));
  return reason.startsWith("The lockfile is out of date")
    ? "it imports packages that this project's lock file doesn't list; run the command without it: deno run -A --no-lock scripts/chat.ts … (or scripts/worker.ts)"
    : reason;
}

function isProvider(value: unknown): value is ModelProvider {
  const { metadata, invoke } = (value ?? {}) as Partial<ModelProvider>;
  return typeof metadata === "object" && typeof invoke === "function";
}
