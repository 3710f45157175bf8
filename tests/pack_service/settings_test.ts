import {
  assert,
  assertEquals,
  assertStringIncludes,
  errValue,
  okValue,
} from "../assert.ts";
import {
  PACK_SERVICE_HELP,
  packServiceCommand,
  type PackServiceConfig,
  readPackServiceConfig,
} from "../../pack_service/settings.ts";

const token = { KINDGI_PACK_SERVICE_TOKEN: "abc" };

function config(
  argv: string[],
  env: Record<string, string> = {},
): PackServiceConfig {
  return okValue(readPackServiceConfig(argv, { ...token, ...env }));
}

function problems(
  argv: string[],
  env: Record<string, string> = {},
): readonly string[] {
  const error = errValue(readPackServiceConfig(argv, { ...token, ...env }));
  assertEquals(error.code, "config-invalid");
  return error.problems;
}

Deno.test("with only a token everything has its default", () => {
  assertEquals(config([]), {
    index: "/app/index.json",
    moduleRoot: "/app",
    port: 8080,
    token: "abc",
    maxConcurrency: 32,
    envCheck: "strict",
    envFilter: "on",
    executors: 1,
    sandbox: "declared",
    permissions: "standard",
    grants: [],
    maxOutputBytes: 67_108_864,
    bodyTimeoutMs: 30_000,
    printPermissions: false,
  });
});

Deno.test("[70] a missing, blank or unsendable token is refused without showing it", () => {
  for (const value of [undefined, "", " \n", "two words", "schlüssel"]) {
    const { problems } = errValue(
      readPackServiceConfig([], { KINDGI_PACK_SERVICE_TOKEN: value }),
    );
    assertEquals(problems.length, 1);
    assertStringIncludes(problems[0]!, "KINDGI_PACK_SERVICE_TOKEN");
    assert(!/two words|schlüssel/.test(problems[0]!));
  }
});

Deno.test("[71] a token is trimmed, so a secret stored with a newline works", () => {
  assertEquals(
    config([], { KINDGI_PACK_SERVICE_TOKEN: " abc\r\n" }).token,
    "abc",
  );
});

Deno.test("[72] every problem is listed, in the order of the settings", () => {
  const two = problems([], {
    PORT: "x",
    KINDGI_PACK_SERVICE_MAX_CONCURRENCY: "0",
  });
  assertEquals(two.length, 2);
  for (const port of ["70000", "-1", "1.5", "0x50", "1e3", " "]) {
    assertEquals(problems([], { PORT: port }).length, 1, port);
  }
  assertEquals(problems(["--bundle-map", "", "--host", ""]).length, 2);

  const all = problems(["--host=", "--nope", "--bundle-map", ""], {
    KINDGI_PACK_SERVICE_TOKEN: "a b",
    PORT: "x",
    KINDGI_PACK_SERVICE_MAX_CONCURRENCY: "-1",
    KINDGI_PACK_ENV_CHECK: "loose",
    KINDGI_PACK_ENV_FILTER: "no",
    KINDGI_PACK_EXECUTORS: "0",
    KINDGI_PACK_SANDBOX: "on",
    KINDGI_PACK_PERMISSIONS: "some",
    KINDGI_PACK_GRANT: "import=x",
    KINDGI_PACK_MAX_OUTPUT_BYTES: "0",
    KINDGI_PACK_BODY_TIMEOUT_MS: "2147483648",
    KINDGI_PACK_STATS_MS: "0",
  });
  const order = [
    "--nope",
    "--bundle-map",
    "--host",
    "KINDGI_PACK_SERVICE_TOKEN",
    "PORT",
    "KINDGI_PACK_SERVICE_MAX_CONCURRENCY",
    "KINDGI_PACK_ENV_CHECK",
    "KINDGI_PACK_ENV_FILTER",
    "KINDGI_PACK_EXECUTORS",
    "KINDGI_PACK_SANDBOX",
    "KINDGI_PACK_PERMISSIONS",
    "KINDGI_PACK_GRANT",
    "KINDGI_PACK_MAX_OUTPUT_BYTES",
    "KINDGI_PACK_BODY_TIMEOUT_MS",
    "KINDGI_PACK_STATS_MS",
  ];
  assertEquals(all.length, order.length);
  for (const [at, name] of order.entries()) {
    assertStringIncludes(all[at]!, name);
  }
});

Deno.test("[74] the index comes from the flag, else the variable; the module root is its folder", () => {
  const env = { KINDGI_PACK_INDEX: "/srv/pack/index.json" };
  assertEquals(config([], env).index, "/srv/pack/index.json");
  assertEquals(config([], env).moduleRoot, "/srv/pack");
  assertEquals(
    config(["--index", "dist/index.json"], env).index,
    "dist/index.json",
  );
  assertEquals(config(["--index", "index.json"]).moduleRoot, ".");
  assertEquals(
    config(["--index=a/i.json", "--module-root", "b"]).moduleRoot,
    "b",
  );
});

Deno.test("an empty PORT or index variable counts as unset [decisions 7]", () => {
  const read = config([], { PORT: "", KINDGI_PACK_INDEX: "" });
  assertEquals(read.port, 8080);
  assertEquals(read.index, "/app/index.json");
});

Deno.test("a flag without its value and an unknown argument are named [decisions 7]", () => {
  for (const flag of ["--index", "--module-root", "--bundle-map", "--host"]) {
    assertEquals(problems([flag]), [`${flag} needs a value`]);
  }
  assertEquals(problems(["--grant"]), ["--grant needs a value"]);
  assertEquals(problems(["--nope", "x", "-z", "--print-permissions=1"]), [
    `unknown argument "--nope"`,
    `unknown argument "x"`,
    `unknown argument "-z"`,
    "--print-permissions takes no value",
  ]);
  assertEquals(problems(["--index", "--host", "h"]), [`unknown argument "h"`]);
  assertEquals(problems(["--index", ""]), ["--index must not be empty"]);
});

Deno.test("flags and settings are read into the configuration", () => {
  const read = config([
    "--index",
    "i.json",
    "--host",
    "127.0.0.1",
    "--bundle-map",
    "map.json",
    "--host",
    "::1",
  ], {
    PORT: "0",
    KINDGI_PACK_SERVICE_MAX_CONCURRENCY: "4",
    KINDGI_PACK_ENV_CHECK: "warn",
    KINDGI_PACK_ENV_FILTER: "off",
    KINDGI_PACK_EXECUTORS: "3",
    KINDGI_PACK_SANDBOX: "off",
    KINDGI_PACK_PERMISSIONS: "declared",
    KINDGI_PACK_MAX_OUTPUT_BYTES: "1024",
    KINDGI_PACK_BODY_TIMEOUT_MS: "500",
    KINDGI_PACK_STATS_MS: "60000",
  });
  assertEquals(read, {
    index: "i.json",
    moduleRoot: ".",
    bundleMap: "map.json",
    host: "::1",
    port: 0,
    token: "abc",
    maxConcurrency: 4,
    envCheck: "warn",
    envFilter: "off",
    executors: 3,
    sandbox: "off",
    permissions: "declared",
    grants: [],
    maxOutputBytes: 1024,
    bodyTimeoutMs: 500,
    statsMs: 60_000,
    printPermissions: false,
  });
});

Deno.test("[89] [92] env check and filter take their default when empty and refuse other words", () => {
  const read = config([], {
    KINDGI_PACK_ENV_CHECK: "",
    KINDGI_PACK_ENV_FILTER: "",
  });
  assertEquals([read.envCheck, read.envFilter], ["strict", "on"]);
  assertEquals(problems([], { KINDGI_PACK_ENV_CHECK: "loose" }).length, 1);
  assertEquals(problems([], { KINDGI_PACK_ENV_FILTER: "no" }).length, 1);
});

Deno.test("grants of the variable and of the flags add up, values with spaces as JSON strings", () => {
  const { grants } = config(
    ["--grant", "read=/my data", "--grant=net=example.org:443"],
    {
      KINDGI_PACK_GRANT:
        ` read="/srv/a \\"b\\"" run=ffmpeg ffi  env=DATABASE_URL write=/x=y `,
    },
  );
  assertEquals(grants, [
    { kind: "read", value: `/srv/a "b"` },
    { kind: "run", value: "ffmpeg" },
    { kind: "ffi" },
    { kind: "env", value: "DATABASE_URL" },
    { kind: "write", value: "/x=y" },
    { kind: "read", value: "/my data" },
    { kind: "net", value: "example.org:443" },
  ]);
});

Deno.test("a grant that opens nothing by name is refused", () => {
  for (
    const grant of ["net", "read=", "import=x", "=x", "env=a-b", "", "all"]
  ) {
    const found = problems(["--grant", grant]);
    assertEquals(found.length, 1, grant);
    assertStringIncludes(found[0]!, "--grant");
  }
  const listed = problems([], { KINDGI_PACK_GRANT: `net foo=1 read="/a b` });
  assertEquals(listed.length, 4);
  assertEquals(problems([], { KINDGI_PACK_GRANT: "=x" }).length, 1);
});

Deno.test("a debugger's place is given or the usual one", () => {
  assertEquals(config(["--inspect"]).inspect, "127.0.0.1:9229");
  assertEquals(config(["--inspect=[::1]:9300"]).inspect, "[::1]:9300");
  assertEquals(config(["--inspect=0.0.0.0:0"]).inspect, "0.0.0.0:0");
  for (const place of ["9229", "host", "host:x", "host:70000", ""]) {
    assertEquals(problems([`--inspect=${place}`]).length, 1, place);
  }
});

Deno.test("printing permissions needs no token", () => {
  const read = okValue(readPackServiceConfig(["--print-permissions"], {}));
  assertEquals([read.printPermissions, read.token], [true, ""]);
});

Deno.test("where there are no executors their settings are refused, each by name", () => {
  const env = {
    ...token,
    KINDGI_PACK_EXECUTORS: "2",
    KINDGI_PACK_PERMISSIONS: "standard",
    KINDGI_PACK_GRANT: "ffi",
    KINDGI_PACK_SANDBOX: "off",
  };
  const { problems } = errValue(
    readPackServiceConfig(["--grant", "ffi", "--inspect"], env, {
      executors: false,
    }),
  );
  assertEquals(problems.map((problem) => problem.split(" ")[0]), [
    "KINDGI_PACK_EXECUTORS",
    "KINDGI_PACK_PERMISSIONS",
    "KINDGI_PACK_GRANT",
    "--grant",
    "--inspect",
  ]);
  const plain = readPackServiceConfig([], {
    ...token,
    KINDGI_PACK_SANDBOX: "off",
  }, { executors: false });
  assertEquals(okValue(plain).sandbox, "off");
});

Deno.test("help and version are asked for by flag, whatever else is wrong", () => {
  assertEquals(packServiceCommand(["--nope", "-h"]), "help");
  assertEquals(packServiceCommand(["--version", "--help"]), "help");
  assertEquals(packServiceCommand(["-v"]), "version");
  assertEquals(packServiceCommand(["--index", "--help"]), "serve");
  assertEquals(packServiceCommand([]), "serve");
});

Deno.test("the help names every flag, variable and exit code", () => {
  for (
    const name of [
      "--index",
      "--module-root",
      "--bundle-map",
      "--host",
      "--grant",
      "--inspect",
      "--print-permissions",
      "--help",
      "--version",
      "KINDGI_PACK_SERVICE_TOKEN",
      "PORT",
      "KINDGI_PACK_INDEX",
      "KINDGI_PACK_SERVICE_MAX_CONCURRENCY",
      "KINDGI_PACK_ENV_CHECK",
      "KINDGI_PACK_ENV_FILTER",
      "KINDGI_PACK_EXECUTORS",
      "KINDGI_PACK_SANDBOX",
      "KINDGI_PACK_PERMISSIONS",
      "KINDGI_PACK_GRANT",
      "KINDGI_PACK_MAX_OUTPUT_BYTES",
      "KINDGI_PACK_BODY_TIMEOUT_MS",
      "KINDGI_PACK_STATS_MS",
      "KINDGI_LOG_LEVEL",
      "KINDGI_LOG_LEVELS",
      "KINDGI_LOG_FORMAT",
      "SIGTERM",
    ]
  ) assertStringIncludes(PACK_SERVICE_HELP, name);
});
