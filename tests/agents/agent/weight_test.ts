import { assert, assertEquals } from "../../assert.ts";
import { DENO_ONLY } from "../../runtime.ts";

/** The modules that loading one module loads, by specifier. */
async function modulesOf(module: URL): Promise<string[]> {
  const info = new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", module.pathname],
    stdout: "piped",
    stderr: "null",
  });
  const { stdout } = await info.output();
  const { modules } = JSON.parse(new TextDecoder().decode(stdout));
  return modules.map(({ specifier }: { specifier: string }) => specifier);
}

Deno.test(
  "what defines an agent loads neither Ajv, LiquidJS nor Zod, and nothing of a platform",
  DENO_ONLY,
  async () => {
    const modules = await modulesOf(
      new URL("../../../agents/agent/mod.ts", import.meta.url),
    );
    assert(modules.some((name) => name.includes("semver")));
    const heavy = modules.filter((name) =>
      /(ajv|liquidjs|zod@|node:|json_schema|platform)/.test(name)
    );
    assertEquals(heavy, []);
  },
);
