/** The pack service in this very process, behind the same `Deno.serve`: what `createPackService` costs by itself. */
import { demoService } from "./demo_service.ts";

const service = await demoService();
Deno.serve(
  {
    hostname: "127.0.0.1",
    port: 0,
    onListen: ({ port }) => console.error(JSON.stringify({ port })),
  },
  (request) => service.handle(request),
);
