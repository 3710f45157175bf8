/** A tool and a context, as in the acceptance cases. */
import type { Logger } from "../../../base/log.ts";
import type { Tool, ToolContext } from "../../../agents/tools/mod.ts";

const silent: Logger = {
  error() {},
  warn() {},
  info() {},
  debug() {},
  trace() {},
  child: () => silent,
  isLevelEnabled: () => false,
};

/** The context of a call, with other fields. */
export function contextWith(fields: Partial<ToolContext> = {}): ToolContext {
  return {
    tenantId: "t-1",
    runId: "run-1",
    projectId: "p-1",
    requestId: "k1",
    abortSignal: new AbortController().signal,
    log: silent,
    ...fields,
  };
}

/** Tool `pack.lookup`, with other fields. */
export function lookupWith(fields: Partial<Tool> = {}): Tool {
  return {
    id: "pack.lookup",
    version: "1.0.0",
    description: "Looks something up",
    input: {
      type: "object",
      properties: { q: { type: "string" } },
      required: ["q"],
      additionalProperties: false,
    },
    output: {
      type: "object",
      properties: { found: { type: "string" } },
      required: ["found"],
    },
    handler: (input) => ({ found: (input as { q: string }).q }),
    ...fields,
  };
}

/** A tool without parameters that answers anything. */
export function plainTool(handler: Tool["handler"]): Tool {
  return lookupWith({ input: { type: "object" }, output: {}, handler });
}
