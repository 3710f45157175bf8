/**
 * The process that reads a pack for the command: the only one that runs the pack's code, with hardly any rights.
 *
 * @module
 */
import {
  importTogether,
  overlayEnvironment,
} from "../pack_service/pack_process.ts";
import {
  type ChildMessage,
  type ChildRequest,
  messageLine,
} from "./child_messages.ts";
import { collectPack } from "./collect.ts";
import { grantAdvice } from "./grant_advice.ts";

// Taken before any pack code runs, which might replace them.
const writeSync = Deno.stdout.writeSync.bind(Deno.stdout);
const exit = Deno.exit.bind(Deno);
const encoder = new TextEncoder();

const request: ChildRequest = await new Response(Deno.stdin.readable).json();

function send(message: ChildMessage): void {
  let rest = encoder.encode(messageLine(request.mark, message));
  while (rest.length > 0) rest = rest.subarray(writeSync(rest));
}

overlayEnvironment(Deno.env);
// A rejection that nobody handles belongs to whatever the pack left running, not to the file that is being read.
globalThis.addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  console.error(event.reason);
});

async function importMany(
  paths: readonly string[],
): Promise<readonly unknown[]> {
  send({ type: "together", begins: true });
  try {
    return await importTogether(paths);
  } finally {
    send({ type: "together", begins: false });
  }
}

send({ type: "ready" });
const outcome = await collectPack({
  ...request.options,
  ...(request.oneByOne ? {} : { importTogether: importMany }),
  onFile: (file) => send({ type: "file", file }),
  importAdvice: (thrown) => grantAdvice(thrown, request.options.packDir),
  zodByVersion: true,
});
send({ type: "outcome", outcome });
// Timers and sockets that the pack opened on import would keep the process.
exit(0);
