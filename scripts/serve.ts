/**
 * `deno task serve`: serves the example pack until Ctrl+C.
 *
 * @module
 */
import { randomBytes } from "node:crypto";
import process from "node:process";
import { parseArgs } from "node:util";
import { PACK_TOKEN_VAR } from "../pack_service/mod.ts";
import { EXAMPLE_INDEX } from "./example_pack.ts";
import {
  basicEnvironment,
  serviceRecord,
  startPackProcess,
} from "./pack_process.ts";
import { styled } from "./printed.ts";

const HELP = `Serves the example pack on 127.0.0.1 until Ctrl+C.

Usage:
  deno task serve

  -h, --help     print this, and exit

Environment:
  PORT                        port to listen on, 0 picks one (default 8080)
  ${PACK_TOKEN_VAR}   the token that callers send (default: a new one)
  SUPPORT_LEDGER_DIR          where the example pack keeps its refunds (default: a folder for temporary files)
  KINDGI_…                    whatever \`deno run -P pack_service/main.ts --help\` lists

Exit codes:
  0   stopped, and calls under way had finished
  1   it couldn't start, or a second Ctrl+C cut it short
  2   the arguments make no sense
`;

/** Runs the command; answers its exit code. */
async function main(argv: string[]): Promise<number> {
  try {
    const { values } = parseArgs({
      args: argv,
      options: { help: { type: "boolean", short: "h" } },
    });
    if (values.help) {
      console.log(HELP.trimEnd());
      return 0;
    }
  } catch (error) {
    console.error(`serve: ${(error as Error).message}; --help says more`);
    return 2;
  }
  const token = process.env[PACK_TOKEN_VAR]?.trim() ||
    randomBytes(24).toString("base64url");
  const started = await startPackProcess({
    index: EXAMPLE_INDEX,
    env: {
      ...basicEnvironment((name) =>
        name.startsWith("KINDGI_") || name === "PORT" ||
        name === "SUPPORT_LEDGER_DIR"
      ),
      [PACK_TOKEN_VAR]: token,
    },
    onLine: printLine,
  });
  if (started.kind === "err") return 1; // its own record has said why
  const { url, ended, signal } = started.value;
  // A terminal sends the signal to the service too, which takes both for one.
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    Deno.addSignalListener(name, () => signal(name));
  }
  console.log(`
The support pack is served at ${styled("cyan", url)}
Its token is ${styled("cyan", token)}

Call a tool from another terminal:

  deno task call support.find_order '{"orderId": "A-10042"}' --url ${url} --token=${token}

Ctrl+C stops it.
`);
  return await ended;
}

/** Records are for machines; their gist is for people. */
function printLine(line: string): void {
  const record = process.env.KINDGI_LOG_FORMAT === "json"
    ? undefined
    : serviceRecord(line);
  if (record === undefined) return console.error(line);
  const { time, level, message } = record;
  console.error(
    `${
      styled("dim", String(time).slice(11, 19), "stderr")
    } ${level} ${message}`,
  );
}

process.exit(await main(process.argv.slice(2)));
