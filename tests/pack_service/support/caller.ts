/** Calls to a pack service as a runtime makes them. */

import { CTX, TOKEN } from "./demo_pack.ts";

/** An answer, read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The body's JSON. */
  readonly body: unknown;
}

/** What a call may have beside its target and input. */
export interface CallOptions {
  readonly version?: string;
  /** The call's context; {@link CTX} when absent. */
  readonly ctx?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** What Node wants to be told of a request whose body is a stream; Deno knows. */
export const STREAMED = { duplex: "half" } as const;

/** Sends requests to one service, with its token unless they say otherwise. */
export class Caller {
  readonly #url: string;
  readonly #send: (request: Request) => Promise<Response>;

  /** `send` is for a service that isn't behind a socket. */
  constructor(
    url: string,
    send: (request: Request) => Promise<Response> = fetch,
  ) {
    this.#url = url;
    this.#send = send;
  }

  /** Sends any request and reads its answer. */
  async request(path: string, init: RequestInit = {}): Promise<Answer> {
    const response = await this.#send(new Request(this.#url + path, init));
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === "" ? undefined : JSON.parse(text),
    };
  }

  /** GET with the token. */
  get(path: string): Promise<Answer> {
    return this.request(path, { headers: { "kindgi-pack-token": TOKEN } });
  }

  /** POST `/v1/invoke` with this very body. */
  post(
    body: BodyInit,
    { headers, signal }: CallOptions = {},
  ): Promise<Answer> {
    return this.request("/v1/invoke", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "kindgi-pack-token": TOKEN,
        ...headers,
      },
      body,
      ...(body instanceof ReadableStream ? STREAMED : {}),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  /** Calls a tool. */
  invoke(
    id: string,
    input: unknown = {},
    options: CallOptions = {},
  ): Promise<Answer> {
    return this.post(
      JSON.stringify(toolCall(id, input, options)),
      options,
    );
  }

  /** Calls a tool and answers its output; fails when there is none. */
  async output(
    id: string,
    input: unknown = {},
    options: CallOptions = {},
  ): Promise<unknown> {
    return messageOf(await this.invoke(id, input, options), "result").output;
  }

  /** Calls a tool and answers its error; fails when there is none. */
  async error(
    id: string,
    input: unknown = {},
    options: CallOptions = {},
  ): Promise<ErrorMessage> {
    return errorOf(await this.invoke(id, input, options));
  }

  /** Calls a check. */
  check(
    id: string,
    config: unknown = {},
    trace: unknown = {},
    options: CallOptions = {},
  ): Promise<Answer> {
    const call = { v: 2, kind: "check-invoke", check: { id }, config, trace };
    return this.post(JSON.stringify(call), options);
  }
}

/** The message of a tool call. */
export function toolCall(
  id: string,
  input: unknown = {},
  { version, ctx = CTX }: CallOptions = {},
): Record<string, unknown> {
  return { v: 2, kind: "invoke", tool: { id, version }, input, ctx };
}

/** An error message. */
export interface ErrorMessage extends Record<string, unknown> {
  readonly code: string;
  readonly message: string;
  readonly cause?: unknown;
  readonly issues?: readonly Record<string, unknown>[];
}

/** The message of an answer; fails unless it is a 200 with a message of that kind. */
export function messageOf(
  answer: Answer,
  kind: string,
): Record<string, unknown> {
  const message = answer.body as Record<string, unknown>;
  if (answer.status !== 200 || message?.v !== 2 || message.kind !== kind) {
    throw new Error(`expected a ${kind}, got ${Deno.inspect(answer)}`);
  }
  return message;
}

/** The error message of an answer; fails unless it is one. */
export function errorOf(answer: Answer): ErrorMessage {
  return messageOf(answer, "error") as ErrorMessage;
}
