/** `Deno.serve` before what anybody would write first. */
import { bareAnswer } from "./bare_answer.ts";

Deno.serve(
  {
    hostname: "127.0.0.1",
    port: 0,
    onListen: ({ port }) => console.error(JSON.stringify({ port })),
  },
  bareAnswer,
);
