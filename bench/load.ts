/**
 * The load of the benches, in a process of its own: `load.ts PORT TOKEN TOOL CONNECTIONS MS WARM_UP_MS [CALLS]`. The
 * warm-up isn't measured: connections open, code gets compiled. With `CALLS` it sends so many and measures nothing.
 *
 * Every connection sends a call, reads the answer to its end, and sends the next. Prints one line of JSON; fails on the
 * first answer that isn't a 200.
 *
 * @module
 */

/** What one run of the load measured. */
export interface Load {
  /** Answers in a second, over all connections. */
  readonly callsPerSecond: number;
  /** Milliseconds that half of the calls took at most. */
  readonly p50: number;
  /** Milliseconds that 99 of 100 calls took at most. */
  readonly p99: number;
  /** All answers, those of the warm-up too. */
  readonly answers: number;
}

async function main(): Promise<void> {
  const [port, token, tool, connections, ms, warmUpMs, calls] = Deno.args;
  const body = JSON.stringify({
    v: 2,
    kind: "invoke",
    tool: { id: tool },
    input: { message: "hi" },
    ctx: { tenantId: "t-1", runId: "run-1" },
  });
  const request = new TextEncoder().encode(
    `POST /v1/invoke HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n` +
      `kindgi-pack-token: ${token}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  const measureFrom = performance.now() + Number(warmUpMs);
  const until = measureFrom + Number(ms);
  let left = calls === undefined ? Infinity : Number(calls);
  const goesOn = (): boolean =>
    calls === undefined ? performance.now() < until : left-- > 0;
  const times: number[] = [];
  let answers = 0;
  const loop = async (): Promise<void> => {
    const connection = await Deno.connect({
      hostname: "127.0.0.1",
      port: Number(port),
    });
    connection.setNoDelay(true);
    const buffer = new Uint8Array(65_536);
    while (goesOn()) {
      const from = performance.now();
      await connection.write(request);
      await readAnswer(connection, buffer);
      answers++;
      if (from > measureFrom) times.push(performance.now() - from);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: Number(connections) }, loop));
  times.sort((a, b) => a - b);
  const at = (share: number): number =>
    times[Math.floor(times.length * share)] ?? NaN;
  const load: Load = {
    callsPerSecond: times.length / (Number(ms) / 1_000),
    p50: at(0.5),
    p99: at(0.99),
    answers,
  };
  console.log(JSON.stringify(load));
}

const decoder = new TextDecoder("latin1");

async function readAnswer(
  connection: Deno.Conn,
  buffer: Uint8Array,
): Promise<void> {
  let text = "";
  for (;;) {
    const length = await connection.read(buffer);
    if (length === null) throw new Error("the connection was closed");
    text += decoder.decode(buffer.subarray(0, length));
    const head = text.indexOf("\r\n\r\n");
    if (head < 0) continue;
    if (!text.startsWith("HTTP/1.1 200 ")) throw new Error(text);
    const size = /\r\ncontent-length: (\d+)/i.exec(text);
    if (size === null) throw new Error("an answer without a length");
    if (text.length >= head + 4 + Number(size[1])) return;
  }
}

if (import.meta.main) await main();
