import { assertEquals } from "../assert.ts";
import { DENO_ONLY } from "../runtime.ts";

/** What pack code meets behind the overlay, in a process that can read `HOME` and `EMPTY` alone. */
const PROBE = `
import process, { env } from "node:process";
import { overlayEnvironment } from ${
  JSON.stringify(
    new URL("../../pack_service/env_overlay.ts", import.meta.url).href,
  )
};
overlayEnvironment(Deno.env);
const seen = {};
seen.start = [process.env.HOME, Deno.env.get("EMPTY"), process.env.SECRET, Deno.env.get("SECRET")];
process.env.BY_NODE = 1;
Deno.env.set("BY_DENO", "2");
Object.assign(process.env, { ASSIGNED: "3" });
seen.crossed = [Deno.env.get("BY_NODE"), process.env.BY_DENO, env.ASSIGNED, env.BY_DENO];
seen.has = ["BY_NODE" in process.env, Deno.env.has("BY_DENO"), Object.hasOwn(process.env, "ASSIGNED"), "SECRET" in process.env];
seen.listed = [Object.keys(process.env).sort(), Object.keys({ ...env }).sort(), Object.keys(Deno.env.toObject()).sort()];
delete process.env.BY_NODE;
Deno.env.delete("BY_DENO");
seen.removed = [Deno.env.has("BY_NODE"), process.env.BY_DENO, "BY_DENO" in env];
process.env.HOME = "/elsewhere";
process.env.SECRET = "mine";
seen.changed = [Deno.env.get("HOME"), env.SECRET];
console.log(JSON.stringify(seen));
`;

Deno.test(
  "pack code can set, read, list and remove variables that only it sees",
  DENO_ONLY,
  async () => {
    const folder = await Deno.makeTempDir();
    try {
      const path = `${folder}/probe.mjs`;
      await Deno.writeTextFile(path, PROBE);
      const { stdout, stderr, success } = await new Deno.Command(
        Deno.execPath(),
        {
          args: [
            "run",
            "--no-prompt",
            "--no-config",
            "--cached-only",
            "--allow-env=HOME,EMPTY",
            "--ignore-env",
            path,
          ],
          env: { HOME: "/home", EMPTY: "", SECRET: "theirs" },
          clearEnv: true,
        },
      ).output();
      assertEquals(success, true, new TextDecoder().decode(stderr));
      const listed = ["ASSIGNED", "BY_DENO", "BY_NODE", "EMPTY", "HOME"];
      assertEquals(JSON.parse(new TextDecoder().decode(stdout)), {
        start: ["/home", "", null, null],
        crossed: ["1", "2", "3", "2"],
        has: [true, true, true, false],
        listed: [listed, listed, listed],
        removed: [false, null, false],
        changed: ["/elsewhere", "mine"],
      });
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
);
