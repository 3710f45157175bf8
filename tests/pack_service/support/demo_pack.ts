/** Fixture S of the acceptance cases: the demo pack. */

import { fileURLToPath } from "node:url";

/** The demo pack's folder. */
export const DEMO_PACK: string = fileURLToPath(
  new URL("../../fixtures/demo_pack", import.meta.url),
);

/** Path of the demo pack's index. */
export const DEMO_INDEX: string = `${DEMO_PACK}/index.json`;

/** The token of every service in these tests. */
export const TOKEN = "tok-1";

/** The context of every call that sends no other. */
export const CTX = { tenantId: "t-1", runId: "run-1" } as const;
