/** Running emitted tests with Node's test runner. */

/** How many tests passed and failed. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
}

/** Longest run of a test file, in milliseconds: one that leaves something open never ends by itself. */
const FILE_TIMEOUT_MS = 300_000;

/** Runs test files of a project, with variables on top of this process's; what the tests say is printed. */
export async function runTests(
  folder: string,
  files: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Counts> {
  const temporary = `${folder}/tmp`;
  await Deno.mkdir(temporary);
  const child = new Deno.Command("node", {
    args: [
      "--enable-source-maps",
      "--test",
      `--test-timeout=${FILE_TIMEOUT_MS}`,
      `--test-concurrency=${navigator.hardwareConcurrency}`,
      "--test-reporter=spec",
      ...files,
    ],
    cwd: folder,
    env: {
      ...env,
      PACK_SERVICE_COMMAND: command(`${folder}/pack_service/main.js`),
      KINDGI_INDEX_COMMAND: command(`${folder}/indexer/main.js`),
      // Packs that tests write find the project's packages from there.
      TMPDIR: temporary,
    },
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let printed = "";
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    await Deno.stdout.write(new TextEncoder().encode(text));
    printed = (printed + text).slice(-100_000);
  }
  const { success } = await child.status;
  const passed = countOf("pass", printed);
  const failed = countOf("fail", printed) + countOf("cancelled", printed);
  return { passed, failed: success ? failed : Math.max(failed, 1) };
}

function command(program: string): string {
  return JSON.stringify(["node", program]);
}

/** A line of the runner's summary, as `ℹ pass 12`; the last one, since tests print too. */
function countOf(what: string, printed: string): number {
  const lines = [
    ...printed.matchAll(new RegExp(`^\\S+ ${what} (\\d+)$`, "gm")),
  ];
  return Number(lines.at(-1)?.[1] ?? 0);
}
