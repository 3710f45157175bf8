/**
 * What the command line of `deno task approvals` asks for.
 *
 * @module
 */
import { parseArgs } from "node:util";
import type { ApprovalStatus, Decider } from "../../agents/mod.ts";
import { readSharedPlace, type StorePlace } from "../support/store_place.ts";
import {
  DEFAULT_TENANT,
  emptyFlag,
  isReviewerRole,
  roleProblem,
  userName,
  workingFolder,
} from "../support/whose.ts";

/** The statuses, and `all` for any. */
export const LISTED = [
  "pending",
  "approved",
  "rejected",
  "expired",
  "withdrawn",
  "all",
] as const satisfies readonly (ApprovalStatus | "all")[];

/** What to do. */
export type ApprovalsAction =
  | {
    readonly kind: "list";
    /** Only those; all when absent. */
    readonly status: ApprovalStatus | undefined;
    readonly conversationId: string | undefined;
    readonly limit: number;
  }
  | { readonly kind: "show"; readonly approvalId: string }
  | {
    readonly kind: "approve" | "reject";
    readonly approvalId: string;
    readonly decidedBy: Decider;
    readonly rationale: string | undefined;
  }
  | { readonly kind: "sweep" };

/** What a command line asks for. */
export interface ApprovalsSettings {
  /** What to do. */
  readonly action: ApprovalsAction;
  /** In which store. */
  readonly place: StorePlace;
  /** Whose approvals. */
  readonly tenantId: string;
  /** Whether to answer in JSON. */
  readonly json: boolean;
}

/** Reads a command line: settings, `"help"`, or what is wrong in one sentence. */
export function readApprovalsSettings(
  argv: readonly string[],
): ApprovalsSettings | string {
  let parsed;
  try {
    parsed = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        store: { type: "string" },
        tenant: { type: "string", default: DEFAULT_TENANT },
        status: { type: "string" },
        conversation: { type: "string" },
        limit: { type: "string" },
        role: { type: "string" },
        reviewer: { type: "string" },
        rationale: { type: "string" },
        json: { type: "boolean", default: false },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    return (error as Error).message;
  }
  const { values, positionals } = parsed;
  if (values.help) return "help";
  const empty = emptyFlag(values, ["tenant", "conversation", "reviewer"]);
  if (empty !== undefined) return empty;
  const action = readAction(positionals, values);
  if (typeof action === "string") return action;
  const place = readSharedPlace(values.store, workingFolder());
  if (typeof place === "string") return place;
  return { action, place, tenantId: values.tenant, json: values.json };
}

/** The flags that only some actions take. */
interface ActionFlags {
  readonly status?: string;
  readonly conversation?: string;
  readonly limit?: string;
  readonly role?: string;
  readonly reviewer?: string;
  readonly rationale?: string;
}

/** Which flags an action takes. */
const TAKES: Readonly<
  Record<ApprovalsAction["kind"], readonly (keyof ActionFlags)[]>
> = {
  list: ["status", "conversation", "limit"],
  show: [],
  approve: ["role", "reviewer", "rationale"],
  reject: ["role", "reviewer", "rationale"],
  sweep: [],
};
const FLAGS: readonly (keyof ActionFlags)[] = [...TAKES.list, ...TAKES.approve];

function readAction(
  [verb = "list", approvalId, ...more]: readonly string[],
  flags: ActionFlags,
): ApprovalsAction | string {
  if (!Object.hasOwn(TAKES, verb)) {
    return `${JSON.stringify(verb)} is none of ${
      Object.keys(TAKES).join(", ")
    }`;
  }
  const kind = verb as ApprovalsAction["kind"];
  const strange = FLAGS.find((name) =>
    flags[name] !== undefined && !TAKES[kind].includes(name)
  );
  if (strange !== undefined) return `${kind} takes no --${strange}`;
  const named = kind !== "list" && kind !== "sweep";
  const extra = named ? more : [approvalId, ...more];
  if (extra.some((word) => word !== undefined)) {
    return `there is more than ${kind} takes: ${extra.join(" ")}`;
  }
  if (named && approvalId === undefined) {
    return `name the approval: ${kind} ID`;
  }
  switch (kind) {
    case "list":
      return readList(flags);
    case "sweep":
      return { kind };
    case "show":
      return { kind, approvalId: approvalId! };
    default:
      return readDecision(kind, approvalId!, flags);
  }
}

function readList(
  { status = "pending", conversation, limit = "50" }: ActionFlags,
): ApprovalsAction | string {
  const listed = LISTED.find((name) => name === status);
  if (listed === undefined) {
    return `--status must be one of ${LISTED.join(", ")}, got ${
      JSON.stringify(status)
    }`;
  }
  if (!/^[1-9][0-9]{0,5}$/.test(limit)) {
    return `--limit must be a whole number from 1 to 999999, got ${
      JSON.stringify(limit)
    }`;
  }
  return {
    kind: "list",
    status: listed === "all" ? undefined : listed,
    conversationId: conversation,
    limit: Number(limit),
  };
}

function readDecision(
  kind: "approve" | "reject",
  approvalId: string,
  { role = "standard", reviewer = userName(), rationale }: ActionFlags,
): ApprovalsAction | string {
  if (!isReviewerRole(role)) return roleProblem(role);
  return { kind, approvalId, decidedBy: { id: reviewer, role }, rationale };
}
