import fc from "fast-check";
import {
  type HttpAnswer,
  HttpAnswerError,
  HttpAnswerReader,
} from "../../../pack_service/supervisor/http_answer.ts";
import { assert, assertEquals, assertThrows } from "../../assert.ts";

const bytes = (text: string): Uint8Array =>
  Uint8Array.from(text, (character) => character.charCodeAt(0));

/** Reads an answer that comes in pieces of these sizes, over and over. */
function read(text: string, sizes: readonly number[] = [text.length]) {
  const reader = new HttpAnswerReader();
  const all = bytes(text);
  for (let at = 0, turn = 0; at < all.length; turn++) {
    const size = sizes[turn % sizes.length]!;
    const answer = reader.feed(all.subarray(at, at + size));
    at += size;
    if (answer !== undefined) return { answer, read: Math.min(at, all.length) };
  }
  return { answer: reader.end(), read: all.length };
}

function answerOf(text: string): HttpAnswer {
  const { answer } = read(text);
  assert(answer !== undefined, "the answer never ended");
  return answer;
}

const bodyOf = (answer: HttpAnswer): string =>
  new TextDecoder("latin1").decode(answer.body);

Deno.test("an answer with a length is read to exactly that length", () => {
  const answer = answerOf(
    "HTTP/1.1 200 OK\r\nContent-Type: application/json \r\ncontent-length: 2\r\n\r\n{}",
  );
  assertEquals(answer.status, 200);
  assertEquals(answer.headers.get("content-type"), "application/json");
  assertEquals(bodyOf(answer), "{}");
  assert(answer.reusable);
});

Deno.test("a chunked answer is joined; extensions and trailers are passed over", () => {
  const answer = answerOf(
    "HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n" +
      "5\r\nhello\r\nA ;x=y\r\n 0123\r\n789\r\n0\r\nx-trailer: 1\r\n\r\n",
  );
  assertEquals(bodyOf(answer), "hello 0123\r\n789");
  assert(answer.reusable);
});

Deno.test("an answer without a length ends with the connection, which then isn't used again", () => {
  const answer = answerOf("HTTP/1.0 200 OK\r\n\r\nall there is");
  assertEquals(bodyOf(answer), "all there is");
  assert(!answer.reusable);
});

Deno.test("interim answers are skipped, and 204 and 304 have no body", () => {
  assertEquals(
    answerOf("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n")
      .status,
    204,
  );
  const answer = answerOf("HTTP/1.1 304 -\r\ncontent-length: 9\r\n\r\n");
  assertEquals(answer.body.length, 0);
});

Deno.test("a connection is used again only when both sides can agree on it", () => {
  const reusable = (head: string, rest = ""): boolean =>
    answerOf(`${head}\r\ncontent-length: 1\r\n\r\nx${rest}`).reusable;
  assert(reusable("HTTP/1.1 200 OK"));
  assert(reusable("HTTP/1.0 200 OK\r\nconnection: Keep-Alive"));
  assert(!reusable("HTTP/1.0 200 OK"));
  assert(!reusable("HTTP/1.1 200 OK\r\nconnection: close"));
  assert(!reusable("HTTP/1.1 200 OK", "bytes of something else"));
});

Deno.test("an answer that broke off is no answer", () => {
  for (
    const text of [
      "",
      "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n",
      "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{",
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n",
    ]
  ) {
    assertEquals(read(text).answer, undefined, text);
  }
});

Deno.test("what isn't an HTTP/1.1 answer is refused", () => {
  const chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n";
  for (
    const text of [
      "HTTP/2 200\r\n\r\n",
      "200 OK\r\n\r\n",
      "HTTP/1.1 2000\r\n\r\n",
      "HTTP/1.1 101 Switching Protocols\r\n\r\n",
      "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
      "HTTP/1.1 200 OK\r\na: 1\r\n folded\r\n\r\n",
      "HTTP/1.1 200 OK\r\nspace : 1\r\n\r\n",
      "HTTP/1.1 200 OK\r\nkindgi-artifact-version: a\u0001b\r\n\r\n",
      "HTTP/1.1 200 OK\r\ncontent-type: a\rb\r\n\r\n",
      "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n",
      "HTTP/1.1 200 OK\r\ncontent-length: 0x1\r\n\r\n",
      "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n",
      "HTTP/1.1 200 OK\r\ncontent-length: 999999999999\r\n\r\n",
      "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n",
      `${chunked}content-length: 1\r\n\r\n`,
      `${chunked}\r\nzz\r\n`,
      `${chunked}\r\n1\r\nxx\r\n`,
      `HTTP/1.1 200 OK\r\nx: ${"y".repeat(70_000)}`,
    ]
  ) {
    assertThrows(() => read(text), HttpAnswerError);
  }
});

Deno.test("however the bytes are cut, the same answer is read, and no byte too many", () => {
  const text = fc.string({ unit: "binary-ascii", maxLength: 40 });
  const sizes = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 });
  fc.assert(fc.property(
    fc.array(text, { maxLength: 6 }),
    fc.boolean(),
    sizes,
    (parts, chunked, cuts) => {
      const body = parts.join("");
      const whole = chunked
        ? "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n" +
          parts.filter((part) => part !== "").map((part) =>
            `${part.length.toString(16)}\r\n${part}\r\n`
          ).join("") + "0\r\n\r\n"
        : `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
      const { answer, read: used } = read(whole, cuts);
      assert(answer !== undefined);
      assertEquals(bodyOf(answer), body);
      assertEquals(used, whole.length);
      assert(answer.reusable);
    },
  ));
});
