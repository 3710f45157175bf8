/** Which build of the pack service these tests run. */

import { fileURLToPath } from "node:url";

/** The service from this checkout, on the Deno that runs the tests. */
const FROM_CHECKOUT: readonly string[] = [
  Deno.execPath(),
  "run",
  "-A",
  fileURLToPath(new URL("../../../pack_service/main.ts", import.meta.url)),
];

/** Another build's program and arguments, as a JSON list: the same suite then runs against that one. */
const given = Deno.env.get("PACK_SERVICE_COMMAND");

/** The program and arguments that start the service; its own arguments follow. */
export const SERVICE_COMMAND: readonly string[] = given === undefined
  ? FROM_CHECKOUT
  : JSON.parse(given);

/** Whether pack code runs in processes of its own: on Node, handlers share the service's process. */
export const HAS_EXECUTORS: boolean = given === undefined;
