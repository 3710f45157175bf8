/**
 * `deno task call TOOL JSON`: calls one tool of a running pack service and prints what it answers.
 *
 * @module
 */
import process from "node:process";
import { parseArgs } from "node:util";
import { PACK_TOKEN_VAR } from "../pack_service/mod.ts";
import { PackUnavailable, sendRequest, toolRequest } from "./pack_client.ts";

const HELP = `Calls one tool of a running pack service and prints its answer.

Usage:
  deno task call TOOL [JSON] [--url URL] [--token TOKEN] [--timeout MS]

  TOOL           the tool's id, such as support.find_order
  JSON           its input (default {})
  --url URL      the service (default: KINDGI_PACK_URL, else http://127.0.0.1:8080)
  --token TOKEN  the service's token (default: ${PACK_TOKEN_VAR})
  --timeout MS   the call's deadline (default: the service's, 120000)
  -h, --help     print this, and exit

The tool's output goes to standard output as JSON; what went wrong goes to standard error.

Exit codes:
  0   the tool answered
  1   it didn't: the service refused the call, the tool failed, or nothing listens there
  2   the arguments make no sense

Example:
  deno task call support.find_order '{"orderId": "A-10042"}'
`;

/** What a command line asks for. */
interface Call {
  readonly tool: string;
  readonly input: unknown;
  readonly url: string;
  readonly token: string;
  readonly timeoutMs: number | undefined;
}

/** Runs the command; answers its exit code. */
async function main(argv: string[]): Promise<number> {
  const call = readCall(argv);
  if (call === "help") {
    console.log(HELP.trimEnd());
    return 0;
  }
  if (typeof call === "string") {
    console.error(`call: ${call}; --help says more`);
    return 2;
  }
  try {
    const { message } = await sendRequest(
      call,
      toolRequest(call.tool, call.input),
      call.timeoutMs,
    );
    if (message.kind === "result") {
      console.log(JSON.stringify(message.output, null, 2));
      return 0;
    }
    console.error(JSON.stringify(message, null, 2));
  } catch (error) {
    if (!(error instanceof PackUnavailable)) throw error;
    console.error(`call: ${error.message}`);
  }
  return 1;
}

/** The call, `"help"`, or what is wrong with the line in one sentence. */
function readCall(argv: string[]): Call | string {
  let parsed;
  try {
    parsed = parseArgs({
      args: argv,
      allowPositionals: true,
      options: {
        url: { type: "string" },
        token: { type: "string" },
        timeout: { type: "string" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    return (error as Error).message;
  }
  const { values, positionals: [tool, json = "{}", ...more] } = parsed;
  if (values.help) return "help";
  if (tool === undefined) return "name the tool to call";
  if (more.length > 0) {
    return `there is more than a tool and its input: ${
      more.join(" ")
    } (put the JSON in quotes)`;
  }
  let input: unknown;
  try {
    input = JSON.parse(json);
  } catch (error) {
    return `the input is not JSON: ${(error as Error).message}`;
  }
  const url = values.url ?? process.env.KINDGI_PACK_URL ??
    "http://127.0.0.1:8080";
  if (!URL.canParse(url) || !/^https?:/.test(url)) {
    return `${JSON.stringify(url)} is no URL that begins http:// or https://`;
  }
  const token = values.token ?? process.env[PACK_TOKEN_VAR];
  if (!token) {
    return `give the service's token with --token, or in ${PACK_TOKEN_VAR}`;
  }
  if (
    values.timeout !== undefined && !/^[1-9][0-9]{0,15}$/.test(values.timeout)
  ) {
    return `--timeout must be a positive number of milliseconds, got ${
      JSON.stringify(values.timeout)
    }`;
  }
  const timeoutMs = values.timeout === undefined
    ? undefined
    : Number(values.timeout);
  return { tool, input, url, token: token.trim(), timeoutMs };
}

process.exit(await main(process.argv.slice(2)));
