/** The fixture pack's service behind a supervisor; its token is {@link SUPERVISED_TOKEN}. */
import { createPackServiceSupervisor } from "../../pack_service/supervisor/supervisor.ts";
import { fileOf, SUPERVISED_TOKEN } from "../server_process.ts";

const pack = new URL("../../tests/fixtures/demo_pack/", import.meta.url);
const supervisor = createPackServiceSupervisor({
  command: [Deno.execPath(), "run", "-A", fileOf("pack_service/main.ts")],
  moduleRoot: pack.pathname,
  token: SUPERVISED_TOKEN,
  env: () => Deno.env.toObject(),
});
const { port } = await supervisor.listen();
const started = await supervisor.start(new URL("index.json", pack).pathname);
if (started.kind === "err") throw new Error(started.error.problems.join("; "));
console.error(JSON.stringify({ port }));
Deno.addSignalListener("SIGTERM", async () => {
  await supervisor.close();
  Deno.exit(0);
});
