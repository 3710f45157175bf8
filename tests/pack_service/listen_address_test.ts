import { assertEquals, assertNotEquals } from "../assert.ts";
import { ServiceProcess } from "./support/service_process.ts";

Deno.test("DENO_SERVE_ADDRESS doesn't move the listener", async () => {
  await using service = await ServiceProcess.start({
    env: { DENO_SERVE_ADDRESS: "tcp:127.0.0.1:1" },
  });
  assertNotEquals(service.port, 1);
  assertEquals((await service.caller.get("/healthz")).status, 200);
});
