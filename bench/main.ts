/**
 * `deno task bench [NAME ...]`: runs the named benches, or all of them, one after another.
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

if (import.meta.main) {
  const unknown = Deno.args.filter((name) => !Object.hasOwn(BENCHES, name));
  if (unknown.length > 0 || Deno.args.includes("--help")) {
    console.error("Usage: deno task bench [NAME ...]\n\nBenches:");
    for (const [name, what] of Object.entries(BENCHES)) {
      console.error(`  ${name.padEnd(14)}${what}`);
    }
    Deno.exit(unknown.length > 0 ? 2 : 0);
  }
  console.log(`${(await machineFacts()).join("\n")}\n`);
  const names = Deno.args.length > 0 ? Deno.args : Object.keys(BENCHES);
  for (const name of names) {
    console.log(`# ${name}: ${BENCHES[name]}`);
    const { code } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", new URL(`${name}.ts`, import.meta.url).pathname],
    }).spawn().status;
    if (code !== 0) Deno.exit(code);
    console.log();
  }
}
