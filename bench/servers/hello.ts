/** The least that a Deno server can be: what starting the runtime and listening costs. */
Deno.serve(
  {
    hostname: "127.0.0.1",
    port: 0,
    onListen: ({ port }) => console.error(JSON.stringify({ port })),
  },
  () => new Response("hello"),
);
