/** HTTP by hand over TCP: for callers that send slowly, wrongly or by halves. */

import { PATIENCE_MS } from "./eventually.ts";
import { TOKEN } from "./demo_pack.ts";

/** An answer as it came. */
export interface RawAnswer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** A connection to a service. */
export class RawClient implements Disposable {
  readonly #connection: Deno.TcpConn;
  #buffer = new Uint8Array(64 * 1024);
  /** How much of the buffer holds what was received and not taken yet. */
  #end = 0;
  #open = true;

  private constructor(connection: Deno.TcpConn) {
    this.#connection = connection;
  }

  /** Connects. */
  static async connect(port: number): Promise<RawClient> {
    return new RawClient(await Deno.connect({ hostname: "127.0.0.1", port }));
  }

  /** Sends text or bytes. */
  async send(data: string | Uint8Array): Promise<void> {
    let left = typeof data === "string" ? new TextEncoder().encode(data) : data;
    while (left.length > 0) {
      left = left.subarray(await this.#connection.write(left));
    }
  }

  /** Reads the next answer; `undefined` when the connection ends before it begins. `HEAD` answers have no body. */
  async answer(
    { head = false }: { head?: boolean } = {},
  ): Promise<RawAnswer | undefined> {
    const end = await this.#until(() => this.#indexOf("\r\n\r\n"));
    if (end === undefined) return undefined;
    const [statusLine = "", ...lines] = this.#take(end + 4).trimEnd()
      .split("\r\n");
    const headers = new Map(lines.map((line) => {
      const colon = line.indexOf(":");
      return [
        line.slice(0, colon).toLowerCase(),
        line.slice(colon + 1).trim(),
      ];
    }));
    const length = head ? 0 : Number(headers.get("content-length") ?? 0);
    const whole = await this.#until(() =>
      this.#end >= length ? length : undefined
    );
    if (whole === undefined) throw new Error("the answer broke off");
    return {
      status: Number(statusLine.split(" ")[1]),
      headers,
      body: this.#take(length),
    };
  }

  /** Waits until the service has closed the connection. */
  async closed(): Promise<void> {
    await this.#until(() => undefined);
  }

  /** Says that nothing more will be sent; answers can still be read. */
  async endSending(): Promise<void> {
    // The other end may have closed it before.
    await this.#connection.closeWrite().catch(() => {});
  }

  /** Closes the connection. */
  close(): void {
    if (this.#open) this.#connection.close();
    this.#open = false;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** Reads on until `look` finds something; `undefined` when the connection ends first. */
  async #until(
    look: () => number | undefined,
  ): Promise<number | undefined> {
    for (;;) {
      const found = look();
      if (found !== undefined) return found;
      const count = await this.#read();
      if (count === undefined) return undefined;
      this.#end += count;
    }
  }

  async #read(): Promise<number | undefined> {
    if (this.#end === this.#buffer.length) {
      const larger = new Uint8Array(2 * this.#end);
      larger.set(this.#buffer);
      this.#buffer = larger;
    }
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new Error("the service neither answered nor closed")),
        PATIENCE_MS,
      );
    });
    const room = this.#buffer.subarray(this.#end);
    try {
      const count = await Promise.race([this.#connection.read(room), late]);
      return count ?? undefined;
    } catch (error) {
      if (error instanceof Deno.errors.ConnectionReset) return undefined;
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  #indexOf(text: string): number | undefined {
    const received = this.#buffer.subarray(0, this.#end);
    const at = new TextDecoder("latin1").decode(received).indexOf(text);
    return at === -1 ? undefined : at;
  }

  #take(count: number): string {
    const text = new TextDecoder().decode(this.#buffer.subarray(0, count));
    this.#buffer.copyWithin(0, count, this.#end);
    this.#end -= count;
    return text;
  }
}

/** The head of a POST to `/v1/invoke`, with these header lines on top of the usual ones. */
export function invokeHead(...lines: readonly string[]): string {
  return [
    "POST /v1/invoke HTTP/1.1",
    "host: pack",
    `kindgi-pack-token: ${TOKEN}`,
    "content-type: application/json",
    ...lines,
    "",
    "",
  ].join("\r\n");
}
