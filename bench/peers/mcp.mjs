// The tool of the benches in a server of the MCP TypeScript SDK, over streamable HTTP, as its documentation has it: the
// handler makes a server for each request.
import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { echo, listening } from "./tool.mjs";

const inputSchema = z.strictObject({ message: z.string().min(1) });
const outputSchema = z.strictObject({
  echoed: z.string(),
  runId: z.string().optional(),
});

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: "bench", version: "1.0.0" });
  server.registerTool(
    "demo.echo",
    { description: "Echoes a message", inputSchema, outputSchema },
    (input) => ({
      content: [],
      structuredContent: echo(input, { runId: "run-1" }),
    }),
  );
  return server;
});
const server = createServer(toNodeHandler(handler));
server.listen(0, "127.0.0.1", () => listening(server.address().port));
