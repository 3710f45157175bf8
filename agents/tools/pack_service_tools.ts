/**
 * The tools of a pack that a service runs, as tools of a turn.
 *
 * @module
 */

import { PACK_PROTOCOL_VERSION } from "../../pack_service/protocol.ts";
import type { SchemaIssue } from "../../base/json_schema.ts";
import type { PackCallContext } from "../../pack_service/protocol.ts";
import type { JsonSchema } from "../agent/mod.ts";
import {
  callPackService,
  type PackServiceAddress,
} from "./pack_service_client.ts";
import type { Tool, ToolContext, ToolEffect } from "./tool.ts";
import { ToolCallError } from "./tool_call_error.ts";

/** A tool's entry in a pack's `index.json`, the part that a turn uses. */
export interface PackToolEntry {
  /** The tool's id. */
  readonly id: string;
  /** Its exact version; the pack's when absent. */
  readonly version?: string;
  /** What it does. */
  readonly description?: string;
  /** JSON Schema of the input. */
  readonly input?: JsonSchema;
  /** JSON Schema of the output. */
  readonly output?: JsonSchema;
  /** Whether it changes anything. */
  readonly mutating?: boolean;
  /** What it does to the world. */
  readonly effects?: readonly ToolEffect[];
  /** What it needs. */
  readonly needs?: readonly unknown[];
  /** Schemas of the secrets and variables that it needs. */
  readonly needsSpec?: Readonly<Record<string, unknown>>;
  /** The sandbox that it declares. */
  readonly sandbox?: string;
  /** The limits that it declares. */
  readonly limits?: Readonly<Record<string, unknown>>;
  /** The hosts that it declares. */
  readonly network?: Readonly<Record<string, unknown>>;
}

/** A pack's `index.json`, the part that {@link packServiceTools} uses. */
export interface PackToolIndex {
  /** The pack's version. */
  readonly packVersion: string;
  /** The tools. */
  readonly tools: readonly PackToolEntry[];
}

/** What {@link packServiceTools} needs. */
export interface PackServiceToolsOptions extends PackServiceAddress {
  /** The index that the service serves. */
  readonly index: PackToolIndex;
}

/** What marks a tool that a pack service runs. */
export const PACK_SERVICE_TRANSPORT = "pack-service";

/**
 * Each tool of an index as a tool that calls a pack service over protocol v2 (`spec/api.md`, `spec/durability.md`, Packs as
 * tools).
 *
 * A call carries the context's ids, its idempotency key, its trace, and as deadline what is left of the turn. A service
 * that is busy or draining (503) did not run the call, and it is sent again until the deadline; nothing else is repeated.
 * Input or output that the service refuses fails the call as if it had been refused here. A tool without a version in the
 * index has the pack's, and is called without one.
 */
export function packServiceTools(options: PackServiceToolsOptions): Tool[] {
  const { index, url, token } = options;
  return index.tools.map((entry) => toolOf(entry, index, { url, token }));
}

function toolOf(
  entry: PackToolEntry,
  { packVersion }: PackToolIndex,
  address: PackServiceAddress,
): Tool {
  const { id, version, mutating, effects, needs, needsSpec } = entry;
  const { sandbox, limits, network } = entry;
  return {
    id,
    version: version ?? packVersion,
    description: entry.description ?? "",
    input: entry.input ?? {},
    output: entry.output ?? {},
    transport: PACK_SERVICE_TRANSPORT,
    ...(mutating === undefined ? {} : { mutating }),
    ...(effects === undefined ? {} : { effects }),
    ...(needs === undefined ? {} : { needs }),
    ...(needsSpec === undefined ? {} : { needsSpec }),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(limits === undefined ? {} : { limits }),
    ...(network === undefined ? {} : { network }),
    handler: (input, context) => callTool(address, entry, input, context),
  };
}

async function callTool(
  address: PackServiceAddress,
  { id, version }: PackToolEntry,
  input: unknown,
  context: ToolContext,
): Promise<unknown> {
  const message = await callPackService(address, {
    request: {
      v: PACK_PROTOCOL_VERSION,
      kind: "invoke",
      tool: { id, ...(version === undefined ? {} : { version }) },
      input,
      ctx: callContext(context),
    },
    runId: context.runId,
    requestId: context.requestId,
    traceparent: context.traceparent,
    deadlineAt: context.deadlineAt,
    abortSignal: context.abortSignal,
  });
  switch (message.kind) {
    case "result":
      return message.output;
    case "error":
      throw new ToolCallError(
        message.code,
        message.message,
        message.issues as readonly SchemaIssue[] | undefined,
        { cause: message.cause },
      );
    default:
      throw new ToolCallError(
        "pack-service-failed",
        `${address.url} doesn't answer as a pack service does: a tool was called, and a check's result came`,
      );
  }
}

/** What of a call's context a service is told; absent fields stay absent. */
function callContext(context: ToolContext): PackCallContext {
  const { tenantId, runId, requestId, projectId, orgId } = context;
  const { settings, env, secrets, idempotencyKey } = context;
  return {
    tenantId,
    runId,
    ...(requestId === undefined ? {} : { requestId }),
    ...(projectId === undefined ? {} : { projectId }),
    ...(orgId === undefined ? {} : { orgId }),
    ...(settings === undefined ? {} : { settings }),
    ...(env === undefined ? {} : { env }),
    ...(secrets === undefined ? {} : { secrets }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  };
}
