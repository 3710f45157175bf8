/** The pack service's front with its executor, plus a second port that tells the front's heap in use. */
import { DEFAULT_LOG_SETTINGS } from "../../base/log.ts";
import { createFrontExecutor } from "../../pack_service/front_executor.ts";
import { readPackServiceConfig } from "../../pack_service/settings.ts";
import { startService } from "../../pack_service/serve_pack.ts";

const pack = new URL("../../tests/fixtures/demo_pack/", import.meta.url);
const index = JSON.parse(await Deno.readTextFile(new URL("index.json", pack)));
index.tools.push({
  id: "bench.heap",
  modulePath: new URL("heap_tool.mjs", import.meta.url).pathname,
  input: {},
  output: {},
});
const indexPath = await Deno.makeTempFile({ suffix: ".json" });
await Deno.writeTextFile(indexPath, JSON.stringify(index));

const config = readPackServiceConfig([
  "--index",
  indexPath,
  "--module-root",
  pack.pathname,
  "--host",
  "127.0.0.1",
], Deno.env.toObject());
if (config.kind === "err") throw new Error(config.error.problems.join("; "));
const started = await startService(config.value, () => {}, async (loaded) => {
  const made = await createFrontExecutor(
    loaded,
    config.value,
    Deno.env.toObject(),
    DEFAULT_LOG_SETTINGS.level,
    () => {},
  );
  return made.kind === "ok"
    ? { kind: "ok", executor: made.value }
    : { kind: "err", problems: [made.error] };
});
if (started.kind === "err") throw new Error(started.problems.join("; "));
await Deno.remove(indexPath);

const { gc } = globalThis as { gc?: () => void };
const heap = Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen() {} },
  () => {
    for (let times = 0; times < 3; times++) gc?.();
    return Response.json({ heapUsed: Deno.memoryUsage().heapUsed });
  },
);
console.error(
  JSON.stringify({ port: started.value.port, heapPort: heap.addr.port }),
);
Deno.addSignalListener("SIGTERM", async () => {
  await started.value.stop();
  Deno.exit(0);
});
