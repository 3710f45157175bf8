/** The fixture pack's service in this very process. */
import { readFile } from "node:fs/promises";
import { createPackService, type PackService } from "../../pack_service/mod.ts";
import { TOKEN } from "../server_process.ts";

const pack = new URL("../../tests/fixtures/demo_pack/", import.meta.url);

/** Makes it, its modules loaded. */
export async function demoService(): Promise<PackService> {
  const service = createPackService({
    index: JSON.parse(await readFile(new URL("index.json", pack), "utf8")),
    resolveModule: (path) => new URL(path, pack).href,
    token: TOKEN,
    maxConcurrency: 1_000,
  });
  await service.prewarm();
  return service;
}
