/**
 * A pack as a runtime uses it: its agents, and its tools and checks as a pack service runs them.
 *
 * @module
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import {
  type Agent,
  defineAgent,
  type DefineAgentSpec,
  type OpenAgentRuntimeInput,
  packGuardrails,
  packServiceChecks,
  packServiceTools,
} from "../../agents/mod.ts";
import { fileProblem } from "../../base/platform.ts";
import { PACK_TOKEN_VAR, readPackIndex } from "../../pack_service/mod.ts";
import { indexPack } from "../dev/index_pack.ts";
import {
  fetchInfo,
  type PackAddress,
  PackUnavailable,
} from "../pack_client.ts";
import { CannotStart } from "./cannot_start.ts";
import { type PackEvents, startPack } from "./pack_child.ts";

/** Which pack, and where its service is. */
export interface PackPlace {
  /** The pack's folder, absolute. */
  readonly packDir: string;
  /** A service that runs already; one is started when absent. */
  readonly url: string | undefined;
}

/** A pack that can be used. */
export interface OpenedPack {
  /** Its agents. */
  readonly agents: readonly Agent[];
  /** What a runtime needs of it. */
  readonly parts: Required<
    Pick<OpenAgentRuntimeInput, "agents" | "tools" | "checks" | "guardrails">
  >;
  /** Its name for people: `support 1.0.0`. */
  readonly name: string;
  /** Ends its service, if it was started here; calls under way may finish. */
  close(): Promise<void>;
}

/** What a pack's index says, the part that a runtime needs. */
type PackIndex =
  & Parameters<typeof packServiceTools>[0]["index"]
  & Parameters<typeof packServiceChecks>[0]["index"]
  & Parameters<typeof packGuardrails>[0]
  & {
    readonly packId: string;
    readonly agents?: readonly Record<string, unknown>[];
  };

/**
 * Reads a pack's index, or makes one, and starts its service unless one is named.
 *
 * The index is `index.json` in the folder, or in its `dist`; a pack without one is indexed now, into a folder for temporary
 * files.
 *
 * @throws {CannotStart} If the pack can't be used.
 */
export async function openPack(
  { packDir, url }: PackPlace,
  events: PackEvents,
): Promise<OpenedPack> {
  if (!isFolder(packDir)) {
    throw new CannotStart(`Cannot use the pack ${packDir}: no such folder`);
  }
  const indexPath = indexIn(packDir) ?? await indexNow(packDir, events);
  const index = await readIndex(indexPath);
  const agents = packAgents(index);
  const service = url === undefined
    ? await startPack({ packDir, indexPath, events })
    : { ...runningService(url), close: () => Promise.resolve() };
  const address = { url: service.url, token: service.token };
  const problem = await serviceProblem(address, index);
  if (problem !== undefined) {
    await service.close();
    throw new CannotStart(problem);
  }
  return {
    agents,
    parts: {
      agents,
      tools: packServiceTools({ ...address, index }),
      checks: packServiceChecks({ ...address, index }),
      guardrails: packGuardrails(index),
    },
    name: `${index.packId} ${index.packVersion}`,
    close: () => service.close(),
  };
}

/**
 * The agents of an index, without what only the index needs.
 *
 * @throws {CannotStart} If one of them is none.
 */
export function packAgents(
  { agents = [] }: Pick<PackIndex, "agents">,
): Agent[] {
  return agents.map(({ modulePath, ...spec }) => {
    const defined = defineAgent(spec as unknown as DefineAgentSpec);
    if (defined.kind === "ok") return defined.value;
    throw new CannotStart(
      `Cannot use the agent of ${modulePath}: ${defined.error.message}`,
    );
  });
}

function indexIn(packDir: string): string | undefined {
  return [join(packDir, "index.json"), join(packDir, "dist", "index.json")]
    .find((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
}

/** Indexes a pack into a folder that goes when this process ends. */
async function indexNow(packDir: string, events: PackEvents): Promise<string> {
  const temporary = mkdtempSync(join(tmpdir(), "kindgi-pack-"));
  process.once(
    "exit",
    () => rmSync(temporary, { recursive: true, force: true }),
  );
  const output = join(temporary, "index.json");
  const indexed = await indexPack({
    packDir,
    output,
    artifactVersion: "unpublished",
    grants: [],
    env: process.env,
    temporary,
    signal: new AbortController().signal,
    onOutput: events.onLine,
  });
  if (indexed.kind === "ok") return output;
  throw new CannotStart(`The pack isn't indexed: ${indexed.error.join("; ")}`);
}

async function readIndex(path: string): Promise<PackIndex> {
  // Looked at as the service does, so that both say the same of one that is broken.
  const read = await readPackIndex(path);
  if (read.kind === "err") throw new CannotStart(read.error);
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    throw new CannotStart(
      `Cannot read the pack index ${path}: ${fileProblem(error)}`,
    );
  }
}

/** Why a service can't run this pack's tools, if so. */
async function serviceProblem(
  address: PackAddress,
  { packId, packVersion }: PackIndex,
): Promise<string | undefined> {
  const named = `Cannot use the pack's service at ${address.url}`;
  let info;
  try {
    info = await fetchInfo(address);
  } catch (error) {
    if (!(error instanceof PackUnavailable)) throw error;
    return `${named}: ${error.message}`;
  }
  if (info.packId !== packId || info.packVersion !== packVersion) {
    return `${named}: it serves ${info.packId} ${info.packVersion}, not ${packId} ${packVersion}`;
  }
  return info.missingEnv.length === 0
    ? undefined
    : `${named}: the pack needs environment variables that aren't set: ${
      info.missingEnv.join(", ")
    }`;
}

function runningService(url: string): PackAddress {
  const token = process.env[PACK_TOKEN_VAR]?.trim();
  if (token) return { url: url.replace(/\/+$/, ""), token };
  throw new CannotStart(
    `Cannot call the service at ${url}: give its token in ${PACK_TOKEN_VAR}`,
  );
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
