import { demoSteps } from "../../scripts/demo_steps.ts";
import { assertEquals, assertMatch, assertStringIncludes } from "../assert.ts";
import { runScript } from "./script.ts";

Deno.test("the demo shows every call and ends with 0, without the network and without colours", async () => {
  // A proxy that nobody answers at: whatever left this machine would fail.
  const nowhere = "http://127.0.0.1:9";
  const { code, stdout, stderr } = await runScript("demo", [], {
    HTTP_PROXY: nowhere,
    HTTPS_PROXY: nowhere,
  });
  assertEquals(stderr, "");
  assertEquals(code, 0);
  const steps = demoSteps("http://127.0.0.1");
  for (const [at, { title, expected }] of steps.entries()) {
    const from = stdout.indexOf(`\n${at + 1}  ${title}\n`);
    assertEquals(from >= 0, true, title);
    assertMatch(stdout.slice(from), new RegExp(`← ${expected} \\d+ ms`));
  }
  for (
    const name of [
      "input-validation-failed",
      "deadline-exceeded",
      "Requires net access",
    ]
  ) assertStringIncludes(stdout, name);
  // deno-lint-ignore no-control-regex -- that is what colours are
  assertEquals(/\x1b/.test(stdout), false);
});

Deno.test("the demo ends with 1 and says why when the service doesn't start", async () => {
  const { code, stderr } = await runScript("demo", [], {
    // A file where the folder should be.
    KINDGI_CACHE_DIR: new URL(import.meta.url).pathname,
  });
  assertEquals(code, 1);
  assertMatch(stderr, /^demo failed: the service didn't start: .*cache/m);
});

Deno.test("the demo takes no arguments", async () => {
  const { code, stderr } = await runScript("demo", ["--fast"]);
  assertEquals(code, 2);
  assertStringIncludes(stderr, "no arguments");
});
