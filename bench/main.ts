/**
 * `deno task bench [NAME ...]`: runs the named benches, or all of them, one after another. Two of them take arguments of
 * their own, behind their name.
 *
 * Every figure is a ratio within one run, since machines differ and drift; `bench/README.md` holds a run's tables.
 *
 * @module
 */

import { machineFacts } from "./machine.ts";

/** Each bench is a script of its own beside this file. */
const BENCHES: Readonly<Record<string, string>> = {
  calls: "calls per second and latency beside a bare server",
  peers: "calls beside Fastify, the MCP SDK and others (installs them by npm)",
  start: "process start until the service listens, for 10 and 1 000 tools",
  memory: "idle memory, and growth over 100 000 calls",
  supervisor: "calls through the supervisor, and swaps under load",
  indexer: "indexing beside importing",
  instructions: "rendering in workers beside rendering in process",
  turns: "turns of an agent beside other loops (installs them by npm)",
  stores: "a turn on each store, and many conversations at once on Postgres",
  growth: "how costs grow with tools in a pack and messages in a conversation",
  workers: "200 conversations finished by workers that are killed at random",
};

/** Benches that take arguments, and which. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  memory: "[--calls=N]",
  growth: "[tools | conversation]",
};

if (import.meta.main) {
  const [first, ...rest] = Deno.args;
  const named = first !== undefined && Object.hasOwn(ARGUMENTS, first) &&
    !rest.some((name) => Object.hasOwn(BENCHES, name));
  const names = named ? [first] : Deno.args;
  const unknown = names.filter((name) => !Object.hasOwn(BENCHES, name));
  if (unknown.length > 0 || Deno.args.includes("--help")) {
    console.error("Usage: deno task bench [NAME ...]\n\nBenches:");
    for (const [name, what] of Object.entries(BENCHES)) {
      const takes = ARGUMENTS[name];
      console.error(
        `  ${name.padEnd(14)}${what}${takes === undefined ? "" : ` ${takes}`}`,
      );
    }
    Deno.exit(unknown.length > 0 && !Deno.args.includes("--help") ? 2 : 0);
  }
  console.log(`${(await machineFacts()).join("\n")}\n`);
  for (const name of names.length > 0 ? names : Object.keys(BENCHES)) {
    console.log(`# ${name}: ${BENCHES[name]}`);
    const script = new URL(`${name}.ts`, import.meta.url).pathname;
    const { code } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", script, ...(named ? rest : [])],
    }).spawn().status;
    if (code !== 0) Deno.exit(code);
    console.log();
  }
}
