/** Pack services inside the test's own process. */

import { assertEquals, okValue } from "../../assert.ts";
import {
  createPackService,
  type CreatePackServiceOptions,
  type PackIndex,
  type PackService,
  type PackServiceEvent,
  readPackIndex,
} from "../../../pack_service/mod.ts";
import { Caller } from "./caller.ts";
import { DEMO_INDEX, DEMO_PACK, TOKEN } from "./demo_pack.ts";

/** The demo pack's index. */
export const DEMO: PackIndex = okValue(await readPackIndex(DEMO_INDEX));

/** A service in this process. */
export interface Hosted extends AsyncDisposable {
  readonly service: PackService;
  readonly caller: Caller;
  readonly events: PackServiceEvent[];
}

/** A service over the demo pack, not prewarmed yet. */
export function host(options: Partial<CreatePackServiceOptions> = {}): Hosted {
  const events: PackServiceEvent[] = [];
  const service = createPackService({
    index: DEMO,
    resolveModule: (path) => `${DEMO_PACK}/${path}`,
    token: TOKEN,
    logger: (event) => events.push(event),
    env: {},
    ...options,
  });
  const send = (request: Request) => service.handle(request);
  return {
    service,
    caller: new Caller("http://pack", send),
    events,
    [Symbol.asyncDispose]: () => service.drain(0),
  };
}

/** The same, prewarmed. */
export async function ready(
  options: Partial<CreatePackServiceOptions> = {},
): Promise<Hosted> {
  const hosted = host(options);
  assertEquals(await hosted.service.prewarm(), []);
  return hosted;
}

/** A pack whose modules are given as objects. */
export function inMemory(
  modules: Readonly<Record<string, unknown>>,
  index: Partial<PackIndex> = {},
): Partial<CreatePackServiceOptions> {
  return {
    index: {
      v: 1,
      packId: "memory",
      packVersion: "1.0.0",
      artifactVersion: "1",
      tools: Object.keys(modules).map((id) => ({
        id,
        modulePath: id,
        input: {},
        output: {},
      })),
      guardrails: [],
      ...index,
    },
    resolveModule: (path) => path,
    importModule: (path) => modules[path],
  };
}

/** A tool that runs until it is told to end, or aborted. */
export function gate() {
  let open = () => {};
  const opened = new Promise<string>((resolve) => open = () => resolve("done"));
  const signals: AbortSignal[] = [];
  const tool = (_input: unknown, ctx: { abortSignal: AbortSignal }) => {
    signals.push(ctx.abortSignal);
    return Promise.race([
      opened,
      new Promise((resolve) =>
        ctx.abortSignal.addEventListener("abort", () => resolve("aborted"))
      ),
    ]);
  };
  return { tool, open: () => open(), signals };
}
