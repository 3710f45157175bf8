/**
 * From a process's start until the service listens, for a pack of ten tools, beside a hello-world server.
 *
 * @module
 */

import { median, startScript, startService } from "./server_process.ts";

const ROUNDS = 9;

if (import.meta.main) {
  const hello: number[] = [];
  const service: number[] = [];
  // The first start may have to make the executor's bundle.
  await (await startService()).stop();
  for (let round = 0; round < ROUNDS; round++) {
    for (
      const [times, start] of [
        [hello, () => startScript("hello.ts")],
        [service, () => startService()],
      ] as const
    ) {
      const server = await start();
      times.push(server.startedInMs);
      await server.stop();
    }
  }
  const ratio = median(service.map((ms, round) => ms / (hello[round] ?? NaN)));
  console.log(`hello-world Deno.serve  ${median(hello).toFixed(0)} ms`);
  console.log(`pack service            ${median(service).toFixed(0)} ms`);
  console.log(`ratio                   ${ratio.toFixed(2)}`);
}
