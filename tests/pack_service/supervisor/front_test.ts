import { connect } from "node:net";
import { createPackServiceSupervisor } from "../../../pack_service/supervisor/supervisor.ts";
import {
  assert,
  assertEquals,
  assertMatch,
  assertNotEquals,
  assertRejects,
  assertThrows,
  okValue,
} from "../../assert.ts";
import { STREAMED } from "../support/caller.ts";
import { callTool, outputOf, withSupervisor } from "./support.ts";
import { PYTHON_COMMAND } from "./packs.ts";

const TOKEN = "0123456789abcdefghijklmnopqrstu-";

/** Sends raw bytes and answers what comes back, as soon as it matches. */
function exchange(port: number, text: string, until: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    socket.on("data", (chunk: Uint8Array) => {
      answer += new TextDecoder().decode(chunk);
      if (until.test(answer)) socket.destroy();
    });
    socket.on("close", () => resolve(answer));
    socket.on("error", reject);
  });
}

Deno.test("[96] before the first start calls are refused as not run and the probes say so", async () => {
  await withSupervisor({}, async ({ url, supervisor, call, index }) => {
    const early = await call("demo.echo");
    assertEquals(early.status, 503);
    assertEquals(early.headers.get("retry-after"), "1");

    const probe = async (path: string): Promise<[number, unknown]> => {
      const response = await fetch(url + path);
      return [response.status, await response.json()];
    };
    assertEquals(await probe("/healthz"), [200, { status: "ok" }]);
    assertEquals(await probe("/readyz"), [503, { error: "no pack service" }]);

    okValue(await supervisor.start(await index("1.0.0")));
    assertEquals(await probe("/readyz"), [200, { status: "ready" }]);
  });
});

Deno.test("[97] the front keeps one URL, asks for its token and passes on the child's info", async () => {
  await withSupervisor({}, async ({ url, supervisor, index }) => {
    assertMatch(url, /^http:\/\/127\.0\.0\.1:\d+$/);
    assertEquals((await supervisor.listen()).url, url);
    okValue(await supervisor.start(await index("1.2.3")));

    for (const wrong of ["", "x", "y".repeat(supervisor.token.length)]) {
      const response = await fetch(`${url}/v1/info`, {
        headers: { "kindgi-pack-token": wrong },
      });
      assertEquals(response.status, 401);
      assertEquals(typeof (await response.json()).error, "string");
    }
    const info = await fetch(`${url}/v1/info?x=1`, {
      headers: { "kindgi-pack-token": supervisor.token },
    });
    assertEquals(info.status, 200);
    assertEquals((await info.json()).packVersion, "1.2.3");
  });
});

Deno.test("path and method are looked at before the token, on every route", async () => {
  await withSupervisor({}, async ({ url, supervisor }) => {
    const ask = async (
      method: string,
      path: string,
      token?: string,
    ): Promise<number> => {
      const response = await fetch(url + path, {
        method,
        ...(method === "POST" ? { body: "{}" } : {}),
        ...(token === undefined
          ? {}
          : { headers: { "kindgi-pack-token": token } }),
      });
      await response.body?.cancel();
      assert(
        response.headers.get("content-type")?.startsWith("application/json"),
      );
      return response.status;
    };
    assertEquals(await ask("POST", "/v1/nope"), 404);
    assertEquals(await ask("GET", "/v1/nope", supervisor.token), 404);
    assertEquals(await ask("GET", "/"), 404);
    assertEquals(await ask("GET", "//v1/info"), 404);
    assertEquals(await ask("GET", "/constructor"), 404);
    assertEquals(await ask("GET", "/v1/invoke"), 405);
    assertEquals(await ask("POST", "/healthz"), 405);
    assertEquals(await ask("POST", "/v1/info", supervisor.token), 405);
    assertEquals(await ask("HEAD", "/v1/invoke"), 405);
    assertEquals(await ask("HEAD", "/healthz"), 200);
    assertEquals(await ask("HEAD", "/readyz"), 503);
    assertEquals(await ask("HEAD", "/v1/info"), 401);
    assertEquals(await ask("POST", "/v1/invoke"), 401);

    const refused = await fetch(`${url}/v1/invoke`);
    assertEquals(refused.headers.get("allow"), "POST");
    await refused.body?.cancel();
  });
});

Deno.test("[trap 39] a body over the limit is refused with and without a declared length, and the next call works", async () => {
  await withSupervisor({ maxBodyBytes: 256 }, async (bench) => {
    okValue(await bench.supervisor.start(await bench.index("1.0.0")));
    const token = { "kindgi-pack-token": bench.supervisor.token };
    const declared = await fetch(`${bench.url}/v1/invoke`, {
      method: "POST",
      headers: token,
      body: "x".repeat(257),
    });
    assertEquals(declared.status, 413);
    assertEquals(typeof (await declared.json()).error, "string");
    const chunked = await fetch(`${bench.url}/v1/invoke`, {
      method: "POST",
      headers: token,
      body: new Blob(["x".repeat(257)]).stream(),
      ...STREAMED,
    });
    assertEquals(chunked.status, 413);
    await chunked.body?.cancel();
    assertEquals(outputOf(await bench.call("demo.echo")).version, "1.0.0");
  });
});

Deno.test("the body of a refused request, small or large, doesn't disturb the next one on its connection", async () => {
  await withSupervisor({}, async ({ url }) => {
    for (const length of [3, 1_000_000]) {
      const answers = await exchange(
        Number(new URL(url).port),
        `POST /v1/invoke HTTP/1.1\r\nhost: x\r\ncontent-length: ${length}\r\n\r\n` +
          `${"x".repeat(length)}GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n`,
        /"ok"\}$/,
      );
      assertMatch(answers, /^HTTP\/1\.1 401 .*HTTP\/1\.1 200 /s);
    }
  });
});

Deno.test("the child's answer comes back with its status, type and protocol headers and no others", async () => {
  await withSupervisor({}, async ({ supervisor, call, index }) => {
    okValue(await supervisor.start(await index("1.0.0")));
    const { status, headers } = await call("demo.echo", { text: "grüß" });
    assertEquals(status, 200);
    assertEquals(headers.get("content-type"), "application/json");
    assertEquals(headers.get("kindgi-artifact-version"), "1.0.0");
    assertEquals(headers.get("kindgi-duration-ms"), "0");
    assertEquals(headers.get("server"), null);
  });
});

Deno.test("a body of several megabytes goes both ways unchanged", async () => {
  await withSupervisor({}, async ({ supervisor, call, index }) => {
    okValue(await supervisor.start(await index("1.0.0")));
    const input = { text: "ä€𝄞".repeat(400_000) };
    assertEquals(outputOf(await call("demo.echo", input)).input, input);
  });
});

Deno.test("[106] a token must be long and plain, is used as given, and outlives its supervisor with the port", async () => {
  const options = {
    command: PYTHON_COMMAND,
    moduleRoot: "/",
    env: () => ({}),
  };
  for (const token of ["a".repeat(31), `${"a".repeat(32)}+/`, ""]) {
    assertThrows(
      () => createPackServiceSupervisor({ ...options, token }),
      TypeError,
    );
  }
  assertMatch(createPackServiceSupervisor(options).token, /^[\w-]{32}$/);

  let port = 0;
  await withSupervisor({ token: TOKEN }, async (bench) => {
    assertEquals(bench.supervisor.token, TOKEN);
    okValue(await bench.supervisor.start(await bench.index("1.0.0")));
    port = Number(new URL(bench.url).port);
    const answer = await callTool(bench.url, TOKEN, "demo.echo");
    assertEquals(outputOf(answer).version, "1.0.0");
  });
  await withSupervisor({ token: TOKEN, port }, async (bench) => {
    okValue(await bench.supervisor.start(await bench.index("2.0.0")));
    const url = `http://127.0.0.1:${port}`;
    const answer = await callTool(url, TOKEN, "demo.echo");
    assertEquals(outputOf(answer).version, "2.0.0");
  });
});

Deno.test("two supervisors make two tokens, and a taken port is refused", async () => {
  await withSupervisor({}, async ({ url, supervisor }) => {
    const other = createPackServiceSupervisor({
      command: PYTHON_COMMAND,
      moduleRoot: "/",
      env: () => ({}),
      port: Number(new URL(url).port),
    });
    assertNotEquals(other.token, supervisor.token);
    await assertRejects(() => other.listen());
    await assertRejects(() => other.listen());
    await other.close();
    await assertRejects(() => other.listen());
  });
});

Deno.test("an IPv6 front has its host in brackets", async () => {
  await withSupervisor({ host: "::1" }, async ({ url }) => {
    assertMatch(url, /^http:\/\/\[::1\]:\d+$/);
    const response = await fetch(`${url}/healthz`);
    assertEquals(response.status, 200);
    await response.body?.cancel();
  });
});
