/** A program with a supervisor, for tests that kill it: `host_main.ts INDEX COMMAND…`. It runs until it is ended. */

import process from "node:process";
import { createPackServiceSupervisor } from "../../../pack_service/supervisor/supervisor.ts";
import { callTool, outputOf } from "./support.ts";

const [index = "", ...command] = Deno.args;
const supervisor = createPackServiceSupervisor({
  command,
  moduleRoot: ".",
  env: () => ({ PATH: Deno.env.get("PATH") }),
  onLog: (line) => console.log(line),
});
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => void supervisor.close().then(() => process.exit(0)));
}
const { url } = await supervisor.listen();
const started = await supervisor.start(index);
if (started.kind === "err") throw new Error(started.error.problems.join("; "));
const { pid } = outputOf(await callTool(url, supervisor.token, "demo.echo"));
console.log(`child ${pid}\nstarted`);
