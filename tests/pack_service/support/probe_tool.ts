/** A tool that tries whatever it is told to, for packs whose permissions are tested. */

/** The probe's module: input `{ op, args }`, output what the operation gave. */
export const PROBE = `
import fs from "node:fs";
import net from "node:net";
import process from "node:process";
import { createRequire } from "node:module";
import { execFileSync } from "node:child_process";
import { DatabaseSync } from "node:sqlite";

const OPERATIONS = {
  fetch: async (url) => (await fetch(url)).text(),
  connect: async (port) => { (await Deno.connect({ hostname: "127.0.0.1", port })).close(); return "connected"; },
  nodeConnect: (port) => new Promise((resolve, reject) => {
    const socket = net.connect(port, "127.0.0.1", () => { socket.destroy(); resolve("connected"); });
    socket.on("error", reject);
  }),
  unixConnect: async (path) => { (await Deno.connect({ transport: "unix", path })).close(); return "connected"; },
  listen: () => { const listener = Deno.listen({ port: 0 }); listener.close(); return "listened"; },
  read: (path) => Deno.readTextFileSync(path),
  nodeRead: (path) => fs.readFileSync(path, "utf8"),
  list: (path) => [...Deno.readDirSync(path)].map(({ name }) => name),
  require: (path) => createRequire(import.meta.url)(path),
  database: (path) => { new DatabaseSync(path).close(); return "opened"; },
  import: async (specifier) => (await import(specifier)).default,
  worker: (url) => new Promise((resolve, reject) => {
    const worker = new Worker(url, { type: "module" });
    worker.onmessage = ({ data }) => { worker.terminate(); resolve(data); };
    worker.onerror = (event) => { event.preventDefault(); reject(new Error(event.message)); };
  }),
  write: (path) => { Deno.writeTextFileSync(path, "written"); return "written"; },
  nodeWrite: (path) => { fs.writeFileSync(path, "written"); return "written"; },
  makeTempDir: () => Deno.makeTempDirSync(),
  storage: () => [typeof localStorage, typeof sessionStorage, typeof caches],
  env: (name) => [process.env[name] ?? null, Deno.env.get(name) ?? null, name in process.env],
  envNames: () => [Object.keys(process.env).sort(), Object.keys(Deno.env.toObject()).sort()],
  setEnv: (name, value) => { process.env[name] = value; return Deno.env.get(name); },
  run: (command, ...args) => new TextDecoder().decode(new Deno.Command(command, { args }).outputSync().stdout),
  nodeRun: (command, ...args) => execFileSync(command, args, { encoding: "utf8" }),
  kill: () => { Deno.kill(Deno.ppid, "SIGCONT"); return "sent"; },
  dlopen: (path) => { Deno.dlopen(path, {}); return "opened"; },
  hostname: () => Deno.hostname(),
  pid: () => Deno.pid,
};

export default async ({ op, args = [] }) => await OPERATIONS[op](...args);
`;
