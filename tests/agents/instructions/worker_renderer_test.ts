import {
  renderInstructions,
  renderInstructionsWith,
} from "../../../agents/instructions/mod.ts";
import {
  createWorkerTemplateRenderer,
  RENDERER_CLOSED,
  STOP_MARGIN_MS,
  TemplateRenderBudgetError,
  TemplateRenderError,
  type WorkerTemplateRenderer,
  type WorkerTemplateRendererOptions,
} from "../../../agents/instructions/worker_renderer.ts";
import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "../../assert.ts";
import { DENO_ONLY, evalCommand, ON_NODE, sourceFile } from "../../runtime.ts";
import {
  CLOCK,
  errorOf,
  render,
  textOf,
  uncheckedAgent,
  withBounds,
} from "./instructions_fixture.ts";
import {
  commandLine,
  descriptors,
  environmentNames,
  exists,
  isBusy,
  runs,
  STUCK_TEMPLATE,
  stuckScope,
  until,
  workerPids,
} from "./worker_fixture.ts";

/** Runs a test with a renderer and closes it. */
async function withRenderer(
  options: WorkerTemplateRendererOptions,
  run: (renderer: WorkerTemplateRenderer) => Promise<void>,
): Promise<void> {
  const renderer = createWorkerTemplateRenderer(options);
  try {
    await run(renderer);
  } finally {
    await renderer.close();
  }
}

Deno.test("[119] a worker renders a template over its scope", () =>
  withRenderer({ workers: 1 }, async (renderer) => {
    assertEquals(
      await renderer.render({
        tenantId: "t",
        template: "Hi {{ a }}",
        scope: { a: 1 },
      }),
      "Hi 1",
    );
  }));

Deno.test("[120] a missing variable rejects with the code, message and name of an in-process render", () =>
  withRenderer({ workers: 1 }, async (renderer) => {
    const error = await assertRejects(
      () =>
        renderer.render({
          tenantId: "t",
          template: "{{ missing }}",
          scope: {},
        }),
      TemplateRenderError,
    ) as TemplateRenderError;
    const inProcess = errorOf(render("{{ missing }}"));
    assertEquals(error.code, "missing-parameter");
    assertEquals(error.parameterName, "missing");
    assertEquals(error.message, inProcess.message);
  }));

Deno.test("a worker gives the output and the failures of an in-process render", () =>
  withBounds(
    { liquid: { parseLimit: 5_000, memoryLimit: 50_000 } },
    () =>
      withRenderer({ workers: 1 }, async (renderer) => {
        const parameters = {
          firm: "Acme ☂ \u{1F600}",
          list: [3, 1, 2],
          rows: [{ n: "b", v: 1.5 }, { n: "a", v: -0 }],
          nil: null,
          controls: "\u0000\u001f\u2028\ud800",
          "__proto__ ": { x: 1 },
        };
        const templates = [
          "",
          "plain",
          "{{ firm }} {{ now | date: '%c' }} {{ today }}",
          "{{ firm | split: '' | json }}",
          "{{ controls }}{{ controls | json }}",
          "{{ list | sort | reverse | join: '-' }} {{ list }}",
          "{{ rows | sort: 'n' | map: 'v' | json }} {{ rows | group_by: 'n' | json }}",
          "{{ 1 | divided_by: rows[1].v }}",
          "{% for i in (1..3) %}{{ forloop.last }}{% cycle 'a', 'b' %}{% endfor %}",
          "{% tablerow i in list cols: 2 %}{{ i }}{% endtablerow %}",
          "{{ nil | date: '%Y' | default: 'none' }}",
          "{{ firm.x.y }}",
          "{{ settings['a.b-c'] }}",
          "{{ firm | nosuch }}",
          "{% if firm %}",
          "{% render 'x' %}",
          "{{ 'x' | base64_decode }}",
          "{{ '%' | url_decode }}",
          "{{ now | date: '%H', 'Mars/Olympus' }}",
          "{% capture a %}0123456789{% endcapture %}{% for i in (1..40) %}{% capture a %}{{ a }}{{ a }}{% endcapture %}{% endfor %}",
          "{% for i in (1..1000000000) %}{% endfor %}",
          "{% for i in (10000000000000000..10000000000000016) %}{% endfor %}",
          "{% if true %}".repeat(200),
          "x".repeat(5_001),
          "{% for a in (1..9) %}x{% break %}{% endfor %}y",
        ];
        for (const template of templates) {
          const agent = uncheckedAgent(template);
          const context = { parameters, clock: CLOCK };
          const inProcess = renderInstructions(agent, context);
          const inWorker = await renderInstructionsWith(
            renderer,
            "t",
            agent,
            context,
          );
          const where = template.slice(0, 60);
          assertEquals(inWorker.ok, inProcess.ok, where);
          if (inProcess.ok || inWorker.ok) {
            assertEquals(inWorker, inProcess, where);
          } else {
            const { cause: _1, ...there } = {
              cause: undefined,
              ...inWorker.error,
            };
            const { cause: _2, ...here } = {
              cause: undefined,
              ...inProcess.error,
            };
            assertEquals<unknown>(there, here, where);
          }
        }
        const odd = uncheckedAgent("{{ f }}");
        const context = { parameters: { f: () => 1 } };
        const there = await renderInstructionsWith(renderer, "t", odd, context);
        assertEquals(
          errorOf(there).message,
          errorOf(renderInstructions(odd, context)).message,
        );
      }),
  ));

Deno.test("a turn's missing parameters are found before a worker is asked", async () => {
  const asked: unknown[] = [];
  const renderer = {
    render: (request: unknown) => {
      asked.push(request);
      return Promise.resolve("text");
    },
  };
  const agent = {
    ...uncheckedAgent("{{ firm }}"),
    parameters: [{ name: "firm", type: "string" as const }],
  };
  const missing = await renderInstructionsWith(renderer, "t", agent, {
    parameters: {},
  });
  assertEquals(errorOf(missing).code, "missing-parameter");
  assertEquals(asked, []);
  const given = await renderInstructionsWith(renderer, "t", agent, {
    parameters: { firm: "A" },
    clock: CLOCK,
  });
  assertEquals(textOf(given), "text");
  assert(given.ok);
  assertEquals(given.value.context.firm, "A");
  assertEquals(asked.length, 1);
});

Deno.test("what a renderer rejects with beside the template's own failure is passed on", async () => {
  const renderer = {
    render: () => Promise.reject(new RangeError("the renderer is broken")),
  };
  await assertRejects(
    () =>
      renderInstructionsWith(renderer, "t", uncheckedAgent("x"), {
        parameters: {},
      }),
    RangeError,
    "broken",
  );
});

/** Tries one thing of each kind of permission and prints how each went. */
const PROBE = `
  const states = [];
  for (const name of ["read", "write", "net", "env", "run", "ffi", "sys"]) {
    const { state } = await Deno.permissions.query({ name });
    states.push(state === "granted" ? name : "denied");
  }
  try { Deno.env.get("PATH"); states.push("reads the environment"); } catch { /* as it should */ }
  try { Deno.readDirSync("/").next(); states.push("reads folders"); } catch { /* as it should */ }
  console.log(JSON.stringify(states));`;

Deno.test(
  "[123] a worker has no right, no environment, and no descriptor of ours",
  DENO_ONLY,
  async () => {
    const cap = 81;
    Deno.env.set("DATABASE_URL", "postgres://secret");
    const file = await Deno.makeTempFile();
    const open = await Deno.open(file);
    const before = new Set(descriptors(Deno.pid).values());
    const listener = Deno.listen({ port: 0 });
    const sockets = [...descriptors(Deno.pid).values()]
      .filter((target) => !before.has(target));
    try {
      await withRenderer(
        { workers: 1, maxOldSpaceMb: cap },
        async (renderer) => {
          await renderer.render({ tenantId: "t", template: "x", scope: {} });
          const [pid] = workerPids(cap);
          assert(pid !== undefined);
          for (const name of environmentNames(pid)) {
            assert(["DENO_DIR", "HOME", "XDG_CACHE_HOME"].includes(name), name);
          }
          const [program, ...flags] = commandLine(pid);
          assertEquals(program, Deno.execPath());
          assertEquals(
            flags.map((flag) => flag.replace(/^.*\//, "")),
            [
              "run",
              "--quiet",
              "--no-prompt",
              "--cached-only",
              "--config",
              "deno.json",
              `--v8-flags=--max-old-space-size=${cap}`,
              "worker_main.ts",
            ],
          );
          const probe = await Deno.makeTempFile({ suffix: ".ts" });
          await Deno.writeTextFile(probe, PROBE);
          const { stdout } = await new Deno.Command(Deno.execPath(), {
            args: [...flags.slice(0, -1), probe],
          }).output();
          await Deno.remove(probe);
          assertEquals(
            JSON.parse(new TextDecoder().decode(stdout)),
            [
              "denied",
              "denied",
              "denied",
              "denied",
              "denied",
              "denied",
              "denied",
            ],
          );
          const theirs = descriptors(pid);
          assertStringIncludes(theirs.get(0) ?? "", "pipe:");
          assertStringIncludes(theirs.get(1) ?? "", "pipe:");
          assertEquals(theirs.get(2), "/dev/null");
          for (const target of theirs.values()) {
            assert(target !== file && !sockets.includes(target), target);
          }
        },
      );
    } finally {
      open.close();
      listener.close();
      await Deno.remove(file);
      Deno.env.delete("DATABASE_URL");
    }
  },
);

Deno.test("[125] a tenant that has spent its budget is refused, another one renders", () =>
  withBounds(
    {
      liquid: { renderLimitMs: 1_000, memoryLimit: 1e9 },
      renderBudget: { ms: 100, windowMs: 600_000 },
    },
    () =>
      withRenderer({ workers: 1 }, async (renderer) => {
        const loop =
          "{% for a in (1..9999) %}{% for b in (1..9999) %}{% endfor %}{% endfor %}";
        const spend = renderer.render({
          tenantId: "a",
          template: loop,
          scope: {},
        });
        const queued = renderer.render({
          tenantId: "a",
          template: "x",
          scope: {},
        });
        await Promise.all([
          assertRejects(() => spend, TemplateRenderError, "time limit"),
          assertRejects(() => queued, TemplateRenderBudgetError),
        ]);
        const error = await assertRejects(
          () => renderer.render({ tenantId: "a", template: "x", scope: {} }),
          TemplateRenderBudgetError,
        ) as TemplateRenderBudgetError;
        assertEquals(error.code, "rate-limit-exceeded");
        assertEquals(error.tenantId, "a");
        assertEquals(
          await renderer.render({ tenantId: "b", template: "y", scope: {} }),
          "y",
        );
      }),
  ));

Deno.test("a worker's start doesn't count toward a tenant's budget", () =>
  withBounds(
    { renderBudget: { ms: 15, windowMs: 600_000 } },
    () =>
      withRenderer({ workers: 1 }, async (renderer) => {
        for (let round = 0; round < 3; round++) {
          assertEquals(
            await renderer.render({ tenantId: "a", template: "x", scope: {} }),
            "x",
          );
        }
      }),
  ));

Deno.test("[126] close lets taken renders finish, refuses later ones, and can be called again", async () => {
  const renderer = createWorkerTemplateRenderer({ workers: 1 });
  const queued = ["a", "b", "c"].map((tenantId) =>
    renderer.render({ tenantId, template: "{{ x }}", scope: { x: tenantId } })
  );
  const order: string[] = [];
  const closed = renderer.close().then(() => order.push("closed"));
  assertEquals(renderer.close(), renderer.close());
  for (const render of queued) void render.then((text) => order.push(text));
  const error = await assertRejects(() =>
    renderer.render({ tenantId: "d", template: "x", scope: {} })
  ) as Error & { code?: string };
  assertEquals(error.code, RENDERER_CLOSED);
  await closed;
  await renderer.close();
  assertEquals(order, ["a", "b", "c", "closed"]);
});

Deno.test("a renderer that never rendered closes, and leaves no process", async () => {
  const cap = 82;
  const renderer = createWorkerTemplateRenderer({
    workers: 2,
    maxOldSpaceMb: cap,
  });
  await renderer.close();
  assertEquals(workerPids(cap), []);
});

Deno.test("one more process than renders stands by, and closing ends it too", async () => {
  const cap = 83;
  const renderer = createWorkerTemplateRenderer({
    workers: 1,
    maxOldSpaceMb: cap,
  });
  await renderer.render({ tenantId: "t", template: "x", scope: {} });
  await until(() => workerPids(cap).length === 2, "the process that stands by");
  await renderer.close();
  assertEquals(workerPids(cap), []);
});

const DOOR = sourceFile(
  "../../../agents/instructions/worker_renderer.ts",
  import.meta.url,
).href;
const BOUNDS = sourceFile(
  "../../../agents/instructions/bounds.ts",
  import.meta.url,
).href;
const FIXTURE = sourceFile("./worker_fixture.ts", import.meta.url).href;
const CONFIG = pathOf("../../../deno.json");

/** The path of a file named from this one. */
function pathOf(path: string): string {
  return decodeURIComponent(new URL(path, import.meta.url).pathname);
}

/** Writes a configuration of a program that uses the package. */
async function configure(folder: string): Promise<void> {
  const { imports } = JSON.parse(await Deno.readTextFile(CONFIG));
  await Deno.writeTextFile(
    `${folder}/deno.json`,
    JSON.stringify({
      imports: { liquidjs: imports.liquidjs },
      nodeModulesDir: "none",
      lock: false,
    }),
  );
}

/** Runs a program outside the package, with a configuration of its own; answers what it prints. */
async function runOutside(
  body: string,
  ...args: string[]
): Promise<string> {
  const folder = await Deno.makeTempDir();
  try {
    if (!ON_NODE) await configure(folder);
    // Nothing in it has a type, so that Node runs it too.
    const program = `${folder}/program.${ON_NODE ? "mjs" : "ts"}`;
    await Deno.writeTextFile(
      program,
      `import { createWorkerTemplateRenderer } from ${
        JSON.stringify(DOOR)
      };\n${body}`,
    );
    const { success, stdout, stderr } = await new Deno.Command(
      Deno.execPath(),
      {
        args: [
          ...ON_NODE ? [] : [
            "run",
            "--quiet",
            "--no-check",
            "--cached-only",
            "--allow-run",
            "--allow-env",
            "--allow-read",
          ],
          program,
          ...args,
        ],
        cwd: folder,
        signal: AbortSignal.timeout(30_000),
      },
    ).output();
    assertEquals(success, true, new TextDecoder().decode(stderr));
    return new TextDecoder().decode(stdout);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("[127] a program outside the package that doesn't close its renderer ends by itself", async () => {
  const render = (template: string) =>
    `console.log(await renderer.render({ tenantId: "t", template: "${template}", scope: { a: 1 } }));`;
  const once = `const renderer = createWorkerTemplateRenderer({ workers: 1 });
    ${render("Hi {{ a }}")}`;
  const outputs = await Promise.all([
    runOutside("createWorkerTemplateRenderer({ workers: 2 });"),
    runOutside(once),
    runOutside(`${once}
      await new Promise((resolve) => setTimeout(resolve, 200));
      ${render("again")}`),
  ]);
  assertEquals(outputs, ["", "Hi 1\n", "Hi 1\nagain\n"]);
});

Deno.test("a worker that is stuck in a step ends with its program, killed without a word", async () => {
  const cap = 88;
  const program = `
    import { createWorkerTemplateRenderer } from ${JSON.stringify(DOOR)};
    import { configureTenantInputBounds } from ${JSON.stringify(BOUNDS)};
    import { STUCK_TEMPLATE, stuckScope } from ${JSON.stringify(FIXTURE)};
    configureTenantInputBounds({ liquid: { renderLimitMs: 600_000 } });
    const renderer = createWorkerTemplateRenderer({ workers: 1, maxOldSpaceMb: ${cap} });
    const render = (template, scope) => renderer.render({ tenantId: "t", template, scope });
    await render("x", {});
    const stuck = render(STUCK_TEMPLATE, stuckScope(6));
    console.log("stuck");
    await stuck;`;
  const [, ...onNode] = evalCommand(program);
  const child = new Deno.Command(Deno.execPath(), {
    args: ON_NODE ? onNode : [
      "run",
      "--quiet",
      "--no-check",
      "--cached-only",
      "--config",
      CONFIG,
      "-A",
      `data:application/typescript,${encodeURIComponent(program)}`,
    ],
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.getReader();
  await reader.read();
  const workers = workerPids(cap, child.pid);
  await until(() => workers.some(isBusy), "a worker to be stuck");
  child.kill("SIGKILL");
  await Promise.all([child.status, reader.cancel()]);
  assert(workers.length > 0);
  await until(() => !workers.some(runs), "the workers' end");
});

Deno.test(
  "when no worker can be started, renders are told so, and a later one tries again",
  DENO_ONLY,
  async () => {
    const printed = await runOutside(
      `const cache = Deno.env.get("DENO_DIR");
     Deno.env.set("DENO_DIR", Deno.args[0]);
     const renderer = createWorkerTemplateRenderer({ workers: 2 });
     const render = (tenantId) => renderer.render({ tenantId, template: "x", scope: {} })
       .catch((error) => error.message);
     const [first, second] = await Promise.all([render("a"), render("b")]);
     console.log(first === second, first);
     if (cache === undefined) Deno.env.delete("DENO_DIR");
     else Deno.env.set("DENO_DIR", cache);
     console.log(await render("a"));
     await renderer.close();`,
      "/nowhere",
    );
    const [failure = "", later] = printed.split("\n");
    assertStringIncludes(failure, "true Cannot start a render worker");
    assertEquals(later, "x");
  },
);

Deno.test("a worker that is killed as it starts fails no render: another one is started", async () => {
  const cap = 87;
  await withRenderer({ workers: 1, maxOldSpaceMb: cap }, async (renderer) => {
    const rendered = renderer.render({
      tenantId: "t",
      template: "x",
      scope: {},
    });
    const pids = workerPids(cap);
    assertEquals(pids.length, 1);
    for (const pid of pids) Deno.kill(pid, "SIGKILL");
    assertEquals(await rendered, "x");
  });
});

Deno.test("[128] killing a worker by hand rejects its render only, and the next one works", () =>
  withBounds({ liquid: { renderLimitMs: 60_000 } }, async () => {
    const cap = 84;
    await withRenderer({ workers: 1, maxOldSpaceMb: cap }, async (renderer) => {
      await renderer.render({ tenantId: "t", template: "x", scope: {} });
      const stuck = renderer.render({
        tenantId: "t",
        template: STUCK_TEMPLATE,
        scope: stuckScope(),
      });
      const next = renderer.render({ tenantId: "t", template: "y", scope: {} });
      for (const pid of workerPids(cap)) Deno.kill(pid, "SIGKILL");
      const error = await assertRejects(() => stuck);
      assertEquals(error instanceof TemplateRenderError, false);
      assertStringIncludes(error.message, "SIGKILL");
      assertEquals(await next, "y");
    });
  }));

Deno.test("a worker that dies while it is free is replaced", async () => {
  const cap = 85;
  await withRenderer({ workers: 1, maxOldSpaceMb: cap }, async (renderer) => {
    await renderer.render({ tenantId: "t", template: "x", scope: {} });
    const pids = workerPids(cap);
    for (const pid of pids) Deno.kill(pid, "SIGKILL");
    await until(
      () => !pids.some(exists),
      "the killed workers to be gone",
    );
    assertEquals(
      await renderer.render({ tenantId: "t", template: "y", scope: {} }),
      "y",
    );
  });
});

Deno.test("a render that is stuck in one step is stopped at its limit and margin, and the next one is served", () =>
  withBounds({ liquid: { renderLimitMs: 1_000 } }, async () => {
    const cap = 86;
    await withRenderer({ workers: 1, maxOldSpaceMb: cap }, async (renderer) => {
      await renderer.render({ tenantId: "t", template: "x", scope: {} });
      const [pid] = workerPids(cap);
      const startedAt = performance.now();
      const error = await assertRejects(
        () =>
          renderer.render({
            tenantId: "t",
            template: STUCK_TEMPLATE,
            scope: stuckScope(),
          }),
        TemplateRenderError,
        "time limit",
      ) as TemplateRenderError;
      assert(performance.now() - startedAt >= 1_000 + STOP_MARGIN_MS - 1);
      assertEquals(error.code, "render-failure");
      assertEquals(
        error.message,
        errorOf(
          render(
            "{% for a in (1..999) %}{% for b in (1..999) %}{% for c in (1..999) %}{% endfor %}{% endfor %}{% endfor %}",
          ),
        ).message,
      );
      assertEquals(
        await renderer.render({ tenantId: "u", template: "y", scope: {} }),
        "y",
      );
      await until(() => !workerPids(cap).includes(pid!), "the stopped worker");
    });
  }));

Deno.test("a thread that was busy for longer than the limit doesn't stop a worker that has answered", () =>
  withBounds(
    { liquid: { renderLimitMs: 50 } },
    () =>
      withRenderer({ workers: 1 }, async (renderer) => {
        await renderer.render({ tenantId: "t", template: "x", scope: {} });
        const rendered = renderer.render({
          tenantId: "t",
          template: "quick",
          scope: {},
        });
        // The request is on its way once the microtasks have run; then this thread hears nothing for a while.
        await new Promise((resolve) => setTimeout(resolve, 0));
        const end = performance.now() + 1_500;
        while (performance.now() < end);
        assertEquals(await rendered, "quick");
      }),
  ));

Deno.test("a render past the heap cap fails with the memory limit's message, and the next one is served", () =>
  withBounds(
    { liquid: { memoryLimit: 1e9, renderLimitMs: 20_000 } },
    () =>
      withRenderer({ workers: 1, maxOldSpaceMb: 24 }, async (renderer) => {
        const error = await assertRejects(
          () =>
            renderer.render({
              tenantId: "t",
              template: "{% for i in (1..90000000) %}{% endfor %}",
              scope: {},
            }),
          TemplateRenderError,
          "memory limit",
        ) as TemplateRenderError;
        assertEquals(error.code, "render-failure");
        assertEquals(
          await renderer.render({ tenantId: "u", template: "y", scope: {} }),
          "y",
        );
      }),
  ));

Deno.test("workers keep the bounds that were set when the renderer was made", async () => {
  let renderer: WorkerTemplateRenderer | undefined;
  await withBounds({ liquid: { parseLimit: 5 } }, () => {
    renderer = createWorkerTemplateRenderer({ workers: 1 });
  });
  assert(renderer !== undefined);
  const made = renderer;
  await assertRejects(
    () => made.render({ tenantId: "t", template: "123456", scope: {} }),
    TemplateRenderError,
    "length limit",
  );
  await made.close();
});

Deno.test("fifty tenants: those that ask once are served while one that floods waits its turns", () =>
  withBounds(
    { renderBudget: { ms: 600_000 } },
    () =>
      withRenderer({ workers: 1 }, async (renderer) => {
        const served: string[] = [];
        const ask = (tenantId: string) =>
          renderer.render({
            tenantId,
            template: "{{ t }}",
            scope: { t: tenantId },
          })
            .then((text) => served.push(text));
        const flood = Array.from({ length: 500 }, () => ask("flood"));
        const others = Array.from(
          { length: 49 },
          (_, index) => ask(`t${index}`),
        );
        await Promise.all(others);
        const ahead = served.filter((tenant) => tenant === "flood").length;
        assert(
          ahead <= 3,
          `the flood was served ${ahead} times before the others`,
        );
        await Promise.all(flood);
        assertEquals(served.length, 549);
      }),
  ));

Deno.test("options out of range are refused", () => {
  for (
    const options of [
      { workers: 0 },
      { workers: 1.5 },
      { workers: NaN },
      { workers: 1, maxOldSpaceMb: 15 },
      { workers: 1, maxOldSpaceMb: 20.5 },
    ]
  ) {
    assertThrows(() => createWorkerTemplateRenderer(options), RangeError);
  }
});
