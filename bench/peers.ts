/**
 * The pack service, directly and through the supervisor, beside what people would use in its place: Fastify with Ajv, the MCP
 * TypeScript SDK's server over streamable HTTP, and Google's functions framework, all on Node and all with the same tool.
 * `deno run -A bench/peers.ts [FOLDER]`; with FOLDER the packages are taken from there, else npm installs them into a
 * folder of their own. Medians of interleaved rounds.
 *
 * @module
 */

import type { Load } from "./load.ts";
import type { PeerLoad, PeerRequest } from "./peers/load.ts";
import { TOOL } from "./servers/schemas.ts";
import {
  type BenchServer,
  fileOf,
  median,
  startScript,
  startServer,
  startService,
  SUPERVISED_TOKEN,
  TOKEN,
} from "./server_process.ts";

const PACKAGES = [
  "ajv@8",
  "fastify@5",
  "@google-cloud/functions-framework@5",
  "@modelcontextprotocol/node@2",
  "@modelcontextprotocol/server@2",
  "zod@4",
];
const PEER_FILES = [
  "fastify.mjs",
  "functions_framework.mjs",
  "mcp.mjs",
  "tool.mjs",
];
const ROUNDS = 3;
const MEASURE_MS = 1_500;
const CONNECTIONS = [1, 16, 64];
/** Rows: a body's size in bytes, and with how many connections. */
const CASES = [
  ...CONNECTIONS.map((connections) => ({ bytes: 1_024, connections })),
  { bytes: 1_024 * 1_024, connections: 1 },
  { bytes: 1_024 * 1_024, connections: 16 },
];
const MCP_REVISION = "2026-07-28";

interface Contestant {
  readonly server: BenchServer;
  /** The request whose body has this message in it. */
  request(message: string): PeerRequest;
}

function packRequest(token: string): (message: string) => PeerRequest {
  return (message) => ({
    path: "/v1/invoke",
    headers: { "kindgi-pack-token": token },
    body: JSON.stringify({
      v: 2,
      kind: "invoke",
      tool: { id: TOOL },
      input: { message },
      ctx: { tenantId: "t-1", runId: "run-1" },
    }),
  });
}

function mcpRequest(message: string): PeerRequest {
  const meta = "io.modelcontextprotocol";
  return {
    path: "/mcp",
    headers: {
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": MCP_REVISION,
      "mcp-method": "tools/call",
      "mcp-name": TOOL,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: {
        name: TOOL,
        arguments: { message },
        _meta: {
          [`${meta}/protocolVersion`]: MCP_REVISION,
          [`${meta}/clientInfo`]: { name: "bench", version: "1.0.0" },
          [`${meta}/clientCapabilities`]: {},
        },
      },
    }),
  };
}

async function install(folder: string): Promise<void> {
  const { success } = await new Deno.Command("npm", {
    args: ["install", "--no-audit", "--no-fund", "--silent", ...PACKAGES],
    cwd: folder,
  }).spawn().status;
  if (!success) throw new Error("npm install failed");
}

async function load(
  { server, request }: Contestant,
  bytes: number,
  connections: number,
): Promise<Load> {
  const asked: PeerLoad = {
    ...request("m".repeat(bytes)),
    port: server.port,
    connections,
    ms: MEASURE_MS,
  };
  const process = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", fileOf("bench/peers/load.ts")],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  await new Response(JSON.stringify(asked)).body?.pipeTo(process.stdin);
  const { success, stdout } = await process.output();
  if (!success) throw new Error("the load failed");
  return JSON.parse(new TextDecoder().decode(stdout));
}

async function startAll(folder: string): Promise<Record<string, Contestant>> {
  for (const name of PEER_FILES) {
    await Deno.copyFile(fileOf(`bench/peers/${name}`), `${folder}/${name}`);
  }
  const peer = (name: string): Promise<BenchServer> =>
    startServer([`${folder}/${name}`], { NODE_ENV: "production" }, "node");
  const ours = packRequest(TOKEN);
  return {
    "pack service": { server: await startService(), request: ours },
    "through the supervisor": {
      server: await startScript("supervised.ts"),
      request: packRequest(SUPERVISED_TOKEN),
    },
    "Fastify and Ajv": { server: await peer("fastify.mjs"), request: ours },
    "functions framework": {
      server: await peer("functions_framework.mjs"),
      request: ours,
    },
    "MCP TypeScript SDK": {
      server: await peer("mcp.mjs"),
      request: mcpRequest,
    },
  };
}

function report(
  title: string,
  results: Readonly<Record<string, readonly Load[]>>,
): void {
  const [ours = []] = Object.values(results);
  console.log(`\n${title}`);
  console.log("                          calls/s    ours   p50 ms   p99 ms");
  for (const [name, loads] of Object.entries(results)) {
    const of = (read: (load: Load) => number) => median(loads.map(read));
    const ratio = median(
      loads.map((one, round) =>
        (ours[round]?.callsPerSecond ?? NaN) / one.callsPerSecond
      ),
    );
    console.log(
      name.padEnd(24) +
        of((one) => one.callsPerSecond).toFixed(0).padStart(9) +
        `${ratio.toFixed(1)}×`.padStart(8) +
        of((one) => one.p50).toFixed(2).padStart(9) +
        of((one) => one.p99).toFixed(2).padStart(9),
    );
  }
}

if (import.meta.main) {
  const [given] = Deno.args;
  const folder = given ?? await Deno.makeTempDir();
  if (given === undefined) await install(folder);
  const contestants = await startAll(folder);
  try {
    for (const { bytes, connections } of CASES) {
      const results: Record<string, Load[]> = {};
      for (let round = 0; round < ROUNDS; round++) {
        for (const [name, contestant] of Object.entries(contestants)) {
          const measured = await load(contestant, bytes, connections);
          (results[name] ??= []).push(measured);
        }
      }
      report(`${bytes / 1_024} KiB, ${connections} at once`, results);
    }
  } finally {
    for (const { server } of Object.values(contestants)) await server.stop();
    if (given === undefined) await Deno.remove(folder, { recursive: true });
  }
}
