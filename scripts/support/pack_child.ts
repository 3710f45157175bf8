/**
 * A pack's service, run by a command for itself: started again when it dies, and gone when the command is.
 *
 * @module
 */
import process from "node:process";
import { fileURLToPath } from "node:url";
import {
  createPackServiceSupervisor,
  PACK_TOKEN_VAR,
  type ServiceEvent,
} from "../../pack_service/mod.ts";
import type { PackAddress } from "../pack_client.ts";
import { CannotStart } from "./cannot_start.ts";
import { MODEL_KEY_VAR } from "./model_choice.ts";
import { STORE_VAR } from "./store_place.ts";

/** Who is told what happens to the service. */
export interface PackEvents {
  /** A line that the pack's code prints. */
  readonly onLine: (line: string) => void;
  /** A record of the service or of a tool. */
  readonly onRecord: (event: ServiceEvent, line: string) => void;
  /** The service died, and is started again; or it was given up, and nothing runs the pack's tools any more. */
  readonly onTrouble: (message: string, gaveUp: boolean) => void;
}

/** A service that listens. */
export interface PackChild extends PackAddress {
  /** Ends it; calls under way may finish. */
  close(): Promise<void>;
}

const MAIN = fileURLToPath(
  new URL("../../pack_service/main.ts", import.meta.url),
);
const CONFIG = fileURLToPath(new URL("../../deno.json", import.meta.url));

/**
 * Starts a pack's service and waits until it listens.
 *
 * @throws {CannotStart} If it doesn't come up.
 */
export async function startPack(
  { packDir, indexPath, events }: {
    readonly packDir: string;
    readonly indexPath: string;
    readonly events: PackEvents;
  },
): Promise<PackChild> {
  const supervisor = createPackServiceSupervisor({
    command: [
      Deno.execPath(),
      ...["run", "--allow-all", "--quiet", "--config", CONFIG, MAIN],
    ],
    moduleRoot: packDir,
    cwd: packDir,
    // Nothing that opens a model or a store; the token and the port come from the supervisor.
    env: () => ({
      ...process.env,
      [PACK_TOKEN_VAR]: undefined,
      [MODEL_KEY_VAR]: undefined,
      [STORE_VAR]: undefined,
    }),
    onLog: events.onLine,
    onEvent: (event) => {
      switch (event.kind) {
        case "log":
          if (isTold(event.event)) events.onRecord(event.event, event.line);
          break;
        case "exited":
          events.onTrouble("the pack's service ended unasked", false);
          break;
        case "gave-up":
          events.onTrouble("the pack's service can't be started again", true);
          break;
      }
    },
  });
  const started = await supervisor.start(indexPath);
  if (started.kind === "err") {
    await supervisor.close();
    throw new CannotStart(
      `The pack's service didn't start: ${started.error.problems.join("; ")}`,
    );
  }
  const { url } = await supervisor.listen();
  return { url, token: supervisor.token, close: () => supervisor.close() };
}

/**
 * What tools log, and what is wrong: a record for each call would drown the rest. That the pack's code doesn't see
 * variables of this terminal is as it should be.
 */
function isTold({ kind, subsystem, level }: ServiceEvent): boolean {
  return kind !== "env-dropped" &&
    (subsystem === "pack.tool" || level === "warn" || level === "error");
}
