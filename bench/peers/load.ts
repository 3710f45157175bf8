/**
 * The load of the peers' bench, in a process of its own: reads what to send, and how, as JSON on standard input, prints a
 * {@link Load} as a line of JSON. Every connection sends a request, reads the answer to its end, and sends the next.
 *
 * @module
 */

import type { Load } from "../load.ts";

/** What is sent. */
export interface PeerRequest {
  /** The path. */
  readonly path: string;
  /** Headers beside the host's, the type's and the length's. */
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON text. */
  readonly body: string;
}

/** What {@link Load} is measured of. */
export interface PeerLoad extends PeerRequest {
  /** The server's port. */
  readonly port: number;
  /** How many connections. */
  readonly connections: number;
  /** For how long, in ms. */
  readonly ms: number;
}

/** Not measured: connections open, code gets compiled. */
const WARM_UP_MS = 1_000;
const BUFFER_BYTES = 256 * 1024;
/** What stands at the end of a chunked answer. */
const LAST_CHUNK = "0\r\n\r\n";

const encoder = new TextEncoder();
const decoder = new TextDecoder("latin1");

if (import.meta.main) {
  const asked: PeerLoad = await new Response(Deno.stdin.readable).json();
  console.log(JSON.stringify(await measure(asked)));
}

async function measure(load: PeerLoad): Promise<Load> {
  const request = requestBytes(load);
  const from = performance.now() + WARM_UP_MS;
  const until = from + load.ms;
  const times: number[] = [];
  let answers = 0;
  const connect = async (): Promise<void> => {
    const { port } = load;
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    connection.setNoDelay(true);
    const buffer = new Uint8Array(BUFFER_BYTES);
    for (let now = 0; now < until;) {
      const sentAt = performance.now();
      await writeAll(connection, request);
      await readAnswer(connection, buffer);
      answers++;
      now = performance.now();
      if (sentAt > from) times.push(now - sentAt);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: load.connections }, connect));
  times.sort((a, b) => a - b);
  const at = (share: number): number =>
    times[Math.floor(times.length * share)] ?? NaN;
  return {
    callsPerSecond: times.length / (load.ms / 1_000),
    p50: at(0.5),
    p99: at(0.99),
    answers,
  };
}

function requestBytes({ path, headers, body }: PeerRequest): Uint8Array {
  const lines = Object.entries({
    host: "127.0.0.1",
    "content-type": "application/json",
    "content-length": encoder.encode(body).length,
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return encoder.encode(
    `POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`,
  );
}

async function writeAll(
  connection: Deno.Conn,
  bytes: Uint8Array,
): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    written += await connection.write(bytes.subarray(written));
  }
}

async function readAnswer(
  connection: Deno.Conn,
  buffer: Uint8Array,
): Promise<void> {
  const read = async (): Promise<Uint8Array> => {
    const count = await connection.read(buffer);
    if (count === null) throw new Error("the connection was closed");
    return buffer.subarray(0, count);
  };
  let head = "";
  let end = -1;
  let received = 0;
  let tail = "";
  while (end < 0) {
    head += decoder.decode(await read());
    end = head.indexOf("\r\n\r\n");
  }
  if (!head.startsWith("HTTP/1.1 200 ")) throw new Error(head);
  received = head.length - end - 4;
  const length = /\r\ncontent-length: (\d+)/i.exec(head.slice(0, end + 2));
  if (length !== null) {
    while (received < Number(length[1])) received += (await read()).length;
    return;
  }
  tail = head.slice(-LAST_CHUNK.length);
  while (tail !== LAST_CHUNK) {
    const more = decoder.decode((await read()).slice(-LAST_CHUNK.length));
    tail = (tail + more).slice(-LAST_CHUNK.length);
  }
}
