/**
 * Packs of many tools, for measuring what reading them costs.
 *
 * @module
 */

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The module of a tool, by its number. */
export type ToolSource = (at: number) => string;

/** A tool whose schemas are JSON Schemas. */
export const JSON_TOOL: ToolSource = (at) =>
  `export default { id: "bench.t${at}", version: "1.0.0", description: "Tool ${at}",
  input: { type: "object", properties: { q: { type: "string", minLength: ${
    at % 9
  } }, k: { type: "integer", default: 3 },
    filters: { type: "array", items: { type: "object", properties: { field: { type: "string" }, value: true } } } },
    required: ["q"], additionalProperties: false },
  output: { type: "object", properties: { hits: { type: "array", items: { type: "string" } } }, required: ["hits"] },
  effects: [{ kind: "reads", target: "index" }], handler: () => ({ hits: [] }) };`;

/** A tool whose schemas are Zod's. */
export const ZOD_TOOL: ToolSource = (at) =>
  `import { z } from "zod";
export default { id: "bench.t${at}", version: "1.0.0",
  inputZod: z.object({ q: z.string().min(${
    at % 9
  }), k: z.number().int().default(3),
    filters: z.array(z.object({ field: z.string(), value: z.unknown() })).optional() }),
  outputZod: z.object({ hits: z.array(z.string()) }), handler: () => ({ hits: [] }) };`;

/** Writes a pack of so many tools, a module each. */
export async function writePack(
  folder: string,
  tool: ToolSource,
  size: number,
): Promise<void> {
  await mkdir(join(folder, "tools"), { recursive: true });
  await writeFile(
    join(folder, "kindgi.config.mjs"),
    `export default { pack: { id: "bench", version: "1.0.0" } };`,
  );
  for (let at = 0; at < size; at++) {
    await writeFile(moduleOf(folder, at), tool(at));
  }
}

/** The module of one of its tools. */
export function moduleOf(folder: string, at: number): string {
  return join(folder, "tools", `t${String(at).padStart(5, "0")}.mjs`);
}
