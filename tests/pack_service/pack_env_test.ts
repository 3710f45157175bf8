import {
  assert,
  assertEquals,
  assertStringIncludes,
  errValue,
  okValue,
} from "../assert.ts";
import {
  missingPackEnv,
  PACK_ENV_NAME,
  parsePackEnvCheck,
  parsePackEnvFilter,
  PLATFORM_ENV_NAMES,
  PLATFORM_ENV_PREFIXES,
  resolvePackEnv,
  undeclaredPackEnv,
} from "../../pack_service/pack_env.ts";

Deno.test("[94] a declaration is sorted, and one that declares nothing is none", () => {
  assertEquals(
    okValue(resolvePackEnv({ required: ["B", "A"], optional: ["Z"] })),
    { optional: ["Z"], required: ["A", "B"] },
  );
  assertEquals(
    okValue(resolvePackEnv({ required: [], optional: [] })),
    undefined,
  );
  assertEquals(okValue(resolvePackEnv({})), undefined);
  assertEquals(okValue(resolvePackEnv(undefined)), undefined);
  assertEquals(okValue(resolvePackEnv({ optional: ["b", "_a", "B"] })), {
    required: [],
    optional: ["B", "_a", "b"],
  });
});

Deno.test("a declaration that isn't an object or has other keys is refused", () => {
  for (const env of [null, [], "A", 1]) {
    assertEquals(errValue(resolvePackEnv(env)).code, "pack-env-invalid");
  }
  const { message } = errValue(
    resolvePackEnv({ required: [], needed: [], extra: 1 }),
  );
  assertStringIncludes(message, `"needed", "extra"`);
});

Deno.test("every problem of a declaration is named", () => {
  const { message } = errValue(resolvePackEnv({
    required: ["A", "A", "1A", "KINDGI_X"],
    optional: ["A", "with space"],
  }));
  const problems = message.split("; ");
  for (const name of [`"1A"`, `"KINDGI_X"`, `"with space"`]) {
    assert(problems.some((problem) => problem.includes(name)), message);
  }
  assertStringIncludes(message, `"A" more than once`);
  assertStringIncludes(message, "in both env.required and env.optional");
  assertStringIncludes(
    errValue(resolvePackEnv({ required: "A", optional: [1] })).message,
    "env.required must be a list of strings; env.optional must be a list of strings",
  );
});

Deno.test("an environment name begins with a letter or underscore", () => {
  for (const name of ["A", "_", "a1_B"]) assert(PACK_ENV_NAME.test(name));
  for (const name of ["", "1A", "A-B", "A B", "Ä", "A\n"]) {
    assert(!PACK_ENV_NAME.test(name), name);
  }
});

Deno.test("[89] a required name is missing when it is unset or empty, a space counts as set", () => {
  const declaration = { required: ["A_URL", "B_URL", "__proto__"] };
  assertEquals(missingPackEnv(declaration, { A_URL: "", B_URL: " " }), [
    "A_URL",
    "__proto__",
  ]);
  assertEquals(missingPackEnv({ optional: ["C"] }, {}), []);
  assertEquals(missingPackEnv(undefined, {}), []);
});

Deno.test("[89] the env check is strict unless it says warn", () => {
  assertEquals(okValue(parsePackEnvCheck(undefined)), "strict");
  assertEquals(okValue(parsePackEnvCheck("")), "strict");
  assertEquals(okValue(parsePackEnvCheck("warn")), "warn");
  assertStringIncludes(
    errValue(parsePackEnvCheck("loose")).message,
    "KINDGI_PACK_ENV_CHECK",
  );
});

Deno.test("[92] the env filter is on unless it says off", () => {
  assertEquals(okValue(parsePackEnvFilter("")), "on");
  assertEquals(okValue(parsePackEnvFilter("off")), "off");
  assertStringIncludes(
    errValue(parsePackEnvFilter("no")).message,
    "KINDGI_PACK_ENV_FILTER",
  );
});

Deno.test("[90] what isn't declared, Kindgi's or the platform's is dropped, sorted by name", () => {
  const names = [
    "SECRET_X",
    "AWS_SECRET_ACCESS_KEY",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "AZURE_CLIENT_SECRET",
    "ALL_PROXY",
    "AWS_ACCESS_KEY_ID",
    "A_URL",
    "C",
    "PATH",
    "PORT",
    "KINDGI_LOG_FORMAT",
    "K_SERVICE",
    "AWS_REGION",
    "OTEL_X",
    "LC_ALL",
    "CLOUD_RUN_X",
    "CONTAINER_APP_X",
    "AZURE_CLIENT_ID",
    "PYTHONPATH",
    "_",
  ];
  const environment = Object.fromEntries(names.map((name) => [name, "v"]));
  assertEquals(
    undeclaredPackEnv({ required: ["A_URL"], optional: ["C"] }, environment),
    [
      "ALL_PROXY",
      "AWS_ACCESS_KEY_ID",
      "AWS_SECRET_ACCESS_KEY",
      "AZURE_CLIENT_SECRET",
      "GOOGLE_APPLICATION_CREDENTIALS",
      "SECRET_X",
    ],
  );
  assert(undeclaredPackEnv(undefined, environment).includes("A_URL"));
});

Deno.test("the platform's names are the shared list, in its order", () => {
  assertEquals(PLATFORM_ENV_NAMES.length, 58);
  assertEquals(new Set(PLATFORM_ENV_NAMES).size, 58);
  assertEquals(PLATFORM_ENV_NAMES[0], "PATH");
  assertEquals(PLATFORM_ENV_NAMES.at(-1), "AZURE_AUTHORITY_HOST");
  assertEquals([...PLATFORM_ENV_PREFIXES], [
    "LC_",
    "PYTHON",
    "OTEL_",
    "CLOUD_RUN_",
    "CONTAINER_APP_",
  ]);
});
