/** PGlite behind a socket: pglite_main.ts FOLDER PORT PID. Ends once process PID is gone. */
import { PGlite } from "@electric-sql/pglite";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";

const [folder, port, pid] = Deno.args as [string, string, string];
const db = await PGlite.create();
const server = new PGLiteSocketServer({
  db,
  host: "127.0.0.1",
  port: Number(port),
  maxConnections: 16,
});
await server.start();
await Deno.writeTextFile(`${folder}/port`, port);
await Deno.rename(`${folder}/port`, `${folder}/ready`);
setInterval(async () => {
  const { code } = await new Deno.Command("kill", { args: ["-0", pid] })
    .output();
  if (code === 0) return;
  await Deno.remove(folder, { recursive: true });
  Deno.exit();
}, 1_000);
