/**
 * `deno task demo`: serves the example pack in a process of its own, calls it over HTTP as a runtime would, prints every
 * request and answer, has the pack's agent take two turns with it, and stops it. Exits with 1 and a name when an answer
 * isn't the expected one. Needs no network.
 *
 * @module
 */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { PACK_TOKEN_VAR } from "../pack_service/mod.ts";
import { showAgent } from "./demo_agent.ts";
import { answerName, problemOf } from "./demo_answer.ts";
import { type DemoStep, demoSteps } from "./demo_steps.ts";
import { EXAMPLE_INDEX } from "./example_pack.ts";
import {
  fetchInfo,
  type PackAddress,
  type PackAnswer,
  sendRequest,
} from "./pack_client.ts";
import { basicEnvironment, startPackProcess } from "./pack_process.ts";
import { shownJson, styled } from "./printed.ts";

/** Something isn't as it has to be. */
class Unexpected extends Error {}

/** Runs the demo; answers its exit code. */
async function main(): Promise<number> {
  if (process.argv.length > 2) {
    console.error("demo: takes no arguments");
    return 2;
  }
  // A proxy of the user's would be asked for this machine's own addresses too.
  process.env.NO_PROXY = "127.0.0.1";
  const ledger = await mkdtemp(join(tmpdir(), "support-ledger-"));
  const carrier = startCarrier();
  try {
    await show(ledger, carrier.url);
    return 0;
  } catch (error) {
    console.error(
      `${styled("red", "demo failed:", "stderr")} ${
        error instanceof Error ? error.message : String(error)
      }`,
    );
    return 1;
  } finally {
    await carrier.stop();
    await rm(ledger, { recursive: true, force: true });
  }
}

async function show(ledger: string, carrier: string): Promise<void> {
  const token = randomBytes(24).toString("base64url");
  const records: string[] = [];
  const started = await startPackProcess({
    index: EXAMPLE_INDEX,
    env: {
      ...basicEnvironment(),
      [PACK_TOKEN_VAR]: token,
      PORT: "0",
      SUPPORT_LEDGER_DIR: ledger,
    },
    onLine: (line) => records.push(line),
  });
  if (started.kind === "err") {
    throw new Unexpected(
      `the service didn't start: ${started.error.problems.join("; ")}`,
    );
  }
  const { url, ended, signal } = started.value;
  try {
    const address = { url, token };
    const info = await fetchInfo(address);
    console.log(
      `The pack ${
        styled("bold", `${info.packId} ${info.packVersion}`)
      } is served at ${styled("cyan", url)}`,
    );
    console.log(`  tools   ${info.tools.map(({ id }) => id).join(", ")}`);
    console.log(`  checks  ${info.checks.join(", ")}`);
    await showSteps(address, demoSteps(carrier));
    await showAgent(address);
  } catch (error) {
    for (const line of records) console.error(styled("dim", line, "stderr"));
    throw error;
  } finally {
    signal("SIGTERM");
  }
  const code = await ended;
  if (code !== 0) throw new Unexpected(`the service ended with ${code}, not 0`);
  console.log("\nThe service has finished its calls and ended with 0.");
}

async function showSteps(
  address: PackAddress,
  steps: readonly DemoStep[],
): Promise<void> {
  for (const [at, step] of steps.entries()) {
    const { request, title, timeoutMs } = step;
    const [target, sent] = request.kind === "invoke"
      ? [request.tool.id, request.input]
      : [request.check.id, request.trace];
    const deadline = timeoutMs === undefined
      ? ""
      : styled("dim", ` within ${timeoutMs} ms`);
    console.log(`\n${styled("bold", `${at + 1}  ${title}`)}`);
    console.log(
      `   ${styled("cyan", "→")} ${target}${deadline}`,
    );
    console.log(shownJson(sent, { indent: "     " }));
    const answer = await sendRequest(address, request, timeoutMs);
    showAnswer(answer);
    const problem = problemOf(step, answer.message);
    if (problem !== undefined) {
      throw new Unexpected(`step ${at + 1}, "${title}": ${problem}`);
    }
  }
}

function showAnswer({ message, durationMs }: PackAnswer): void {
  const arrow = message.kind === "error"
    ? styled("red", "←")
    : styled("green", "←");
  console.log(
    `   ${arrow} ${answerName(message)} ${styled("dim", `${durationMs} ms`)}`,
  );
  const shown = message.kind === "result"
    ? message.output
    : message.kind === "check-result"
    ? message.result
    : message.issues ?? message.message;
  console.log(shownJson(shown, { indent: "     ", maxLines: 16 }));
}

/** A carrier's server, so that the demo needs no network. */
function startCarrier(): { readonly url: string; stop(): Promise<void> } {
  const stopping = new AbortController();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async ({ url }) => {
      if (!url.endsWith("/slow")) return new Response("Out for delivery\n");
      await new Promise((resolve) =>
        stopping.signal.addEventListener("abort", resolve)
      );
      return new Response("too late");
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    stop() {
      stopping.abort();
      return server.shutdown();
    },
  };
}

process.exit(await main());
