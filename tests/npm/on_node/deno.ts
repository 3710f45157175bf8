/**
 * What the tests use of `Deno`, on Node: it takes the global's place in their emitted files, and in theirs alone, so that
 * the package under test still finds itself on Node.
 *
 * @module
 */

import { Deno as shim } from "@deno/shim-deno";
import process from "node:process";
import { Command } from "./deno_command.ts";
import { connect, listen, serve } from "./deno_net.ts";
import { test } from "./deno_test.ts";

/** `Deno` as the tests see it. */
const standIn = {
  ...shim,
  Command,
  connect,
  // The shim's is that of an installed Deno.
  execPath: () => process.execPath,
  listen,
  serve,
  test,
};

export { standIn as Deno };
