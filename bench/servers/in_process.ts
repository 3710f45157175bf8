/** The pack service in this very process, behind the same `Deno.serve`: what `createPackService` costs by itself. */
import { createPackService } from "../../pack_service/mod.ts";

const pack = new URL("../../tests/fixtures/demo_pack/", import.meta.url);
const service = createPackService({
  index: JSON.parse(await Deno.readTextFile(new URL("index.json", pack))),
  resolveModule: (path) => new URL(path, pack).href,
  token: "bench-token",
  maxConcurrency: 1_000,
});
await service.prewarm();
Deno.serve(
  {
    hostname: "127.0.0.1",
    port: 0,
    onListen: ({ port }) => console.error(JSON.stringify({ port })),
  },
  (request) => service.handle(request),
);
