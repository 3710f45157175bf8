/** A pack service as a process, for tests that call what was indexed. */
import { deferred } from "../agents/flow/running.ts";
import { SERVICE_COMMAND } from "../pack_service/support/service_command.ts";

const TOKEN = "a-token-for-tests-of-the-indexer";

/** Sends a message and answers the response message. */
export type Call = (message: Record<string, unknown>) => Promise<unknown>;

/** Serves the pack whose index this is, runs the test, and ends the service. */
export async function withServedPack(
  indexPath: string,
  env: Readonly<Record<string, string>>,
  run: (call: Call) => Promise<void>,
): Promise<void> {
  const [program = "", ...args] = SERVICE_COMMAND;
  const service = new Deno.Command(program, {
    args: [...args, "--index", indexPath, "--host", "127.0.0.1"],
    env: { PORT: "0", KINDGI_PACK_SERVICE_TOKEN: TOKEN, ...env },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const said: string[] = [];
  const listening = deferred<number>();
  const reading = (async () => {
    for await (const line of textLines(service.stderr)) {
      said.push(line);
      if (!line.includes(`"listening"`)) continue;
      listening.resolve(JSON.parse(line).port);
    }
    listening.reject(new Error(`the service ended: ${said.join("\n")}`));
  })();
  try {
    const port = await listening.promise;
    await run(async (message) => {
      const response = await fetch(`http://127.0.0.1:${port}/v1/invoke`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "kindgi-pack-token": TOKEN,
        },
        body: JSON.stringify({ v: 2, ...message }),
      });
      return await response.json();
    });
  } finally {
    service.kill("SIGTERM");
    await service.status;
    await reading.catch(() => {});
  }
}

async function* textLines(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<string> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}
