import { fileURLToPath } from "node:url";
import { assertEquals, assertStringIncludes } from "../assert.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const file = await Deno.readTextFile(
  `${root}examples/support_pack/Containerfile`,
);

/** The values of an instruction, continuation lines joined. */
function instructions(name: string): string[] {
  return file.replaceAll("\\\n", " ").split("\n")
    .filter((line) => line.startsWith(`${name} `))
    .map((line) => line.slice(name.length + 1).trim());
}

function words(text: string): string[] {
  return text.split(/\s+/);
}

Deno.test("the image's steps make a service that listens offline", async () => {
  const work = await Deno.makeTempDir();
  const cache = `${work}/kindgi`;
  const env = {
    PATH: Deno.env.get("PATH") ?? "",
    HOME: Deno.env.get("HOME") ?? "",
    ...["DENO_DIR", "XDG_CACHE_HOME"].reduce((found, name) => {
      const value = Deno.env.get(name);
      return value === undefined ? found : { ...found, [name]: value };
    }, {}),
    KINDGI_CACHE_DIR: cache,
  };
  try {
    const build = instructions("RUN").find((line) =>
      line.includes("cache-pack")
    );
    const [program, ...args] = words(build ?? "");
    assertEquals(program, "deno-binary");
    const built = await new Deno.Command(Deno.execPath(), {
      args,
      cwd: root,
      clearEnv: true,
      env,
      stdin: "null",
    }).output();
    assertEquals(built.code, 0, new TextDecoder().decode(built.stderr));

    const [entry, ...flags] = JSON.parse(instructions("ENTRYPOINT")[0] ?? "[]");
    assertEquals(entry, "deno-binary");
    const nowhere = "http://127.0.0.1:9";
    const service = new Deno.Command(Deno.execPath(), {
      args: [...flags, ...JSON.parse(instructions("CMD")[0] ?? "[]")],
      cwd: root,
      clearEnv: true,
      env: {
        ...env,
        PORT: "0",
        KINDGI_PACK_SERVICE_TOKEN: "token",
        HTTP_PROXY: nowhere,
        HTTPS_PROXY: nowhere,
      },
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    let printed = "";
    try {
      const decoder = new TextDecoder();
      for await (const bytes of service.stderr) {
        printed += decoder.decode(bytes, { stream: true });
        if (printed.includes(`"event":"listening"`)) service.kill("SIGTERM");
      }
    } finally {
      const { code } = await service.status;
      assertEquals(code, 0, printed);
    }
    assertStringIncludes(printed, `"event":"stopped"`);
  } finally {
    await Deno.remove(work, { recursive: true });
  }
});

Deno.test("the image runs as a user without rights, and the binary itself", () => {
  assertEquals(instructions("USER"), ["node"]);
  assertStringIncludes(
    instructions("RUN")[0] ?? "",
    `ln -s "$(deno eval 'console.log(Deno.execPath())')" /usr/local/bin/deno-binary`,
  );
  const variables = instructions("ENV").join(" ");
  for (const name of ["DENO_DIR=", "KINDGI_CACHE_DIR="]) {
    assertStringIncludes(variables, name);
  }
});
