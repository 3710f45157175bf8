/** What turns leave in memory. */
import { fileURLToPath } from "node:url";
import { assert } from "../../assert.ts";
import { DENO_ONLY } from "../../runtime.ts";

Deno.test(
  "a turn that has ended, and what its tools were given, is let go of without a full collection",
  DENO_ONLY,
  async () => {
    const program = new URL("let_go_main.ts", import.meta.url);
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-A",
        "--no-check",
        "--v8-flags=--expose-gc",
        fileURLToPath(program),
      ],
    }).output();
    const decoder = new TextDecoder();
    assert(code === 0, decoder.decode(stderr));
    const bytes = Number(decoder.decode(stdout));
    // It was 18 KB of each; some of the last one's parts may be left.
    assert(bytes < 6_000, `${bytes} bytes of each turn were left`);
  },
);
