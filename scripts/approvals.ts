/**
 * `deno task approvals`: lists what agents ask reviewers, and decides it, from a terminal.
 *
 * @module
 */
import process from "node:process";
import {
  type AgentRuntime,
  type Approval,
  type ApprovalError,
  openAgentRuntime,
} from "../agents/mod.ts";
import {
  type ApprovalsAction,
  type ApprovalsSettings,
  readApprovalsSettings,
} from "./approvals/settings.ts";
import { approvalDetail, approvalLines } from "./support/approval_lines.ts";
import { CannotStart } from "./support/cannot_start.ts";
import {
  KNOWN_STORE_HELP,
  openStore,
  STORE_VAR,
} from "./support/store_place.ts";
import { terminalText } from "./support/terminal_text.ts";
import { DEFAULT_TENANT } from "./support/whose.ts";

const HELP = `Lists what agents ask reviewers, and decides it.

Usage:
  deno task approvals [list] --store WHERE [--status STATUS] [--conversation ID] [--limit N]
  deno task approvals show ID --store WHERE
  deno task approvals approve|reject ID --store WHERE [--role ROLE] [--reviewer ID] [--rationale TEXT]
  deno task approvals sweep --store WHERE

${KNOWN_STORE_HELP}
                      (default: ${STORE_VAR})
  --tenant ID         whose approvals (default: ${DEFAULT_TENANT}); a sweep goes over all tenants
  --status STATUS     pending (default), approved, rejected, expired, withdrawn or all
  --conversation ID   only those of this conversation
  --limit N           the newest N (default: 50)
  --role ROLE         as what you decide: standard (default), senior or admin
  --reviewer ID       as whom you decide (default: your user's name)
  --rationale TEXT    why; after a rejection the agent reads it
  --json              answers as JSON
  -h, --help          print this, and exit

A decision is made once. The turn that waits for it goes on when a worker or a chat takes it further. A sweep raises what
is past its time by one role; past admin it expires, and its turn fails. Nobody checks here who you are: whoever can open
the store can decide.

Exit codes:
  0   done
  1   the store can't be opened, read or written
  2   the arguments make no sense
  3   there is no such approval
  4   it can't be decided so: the role is too low, or it was decided, withdrawn or expired before

Example:
  deno task approvals approve 6e0c… --store chat.sqlite --role senior --rationale "The photo shows it"
`;

/** Which exit code an error ends with. */
const EXIT_CODES: Readonly<Record<ApprovalError["code"], number>> = {
  "approval-not-found": 3,
  "approval-role-too-low": 4,
  "approval-already-decided": 4,
  "approval-expired": 4,
  "persistence-error": 1,
};

/** Runs the command; answers its exit code. */
async function main(argv: string[]): Promise<number> {
  const settings = readApprovalsSettings(argv);
  if (settings === "help") {
    console.log(HELP.trimEnd());
    return 0;
  }
  if (typeof settings === "string") {
    console.error(`approvals: ${settings}; --help says more`);
    return 2;
  }
  try {
    const store = await openStore(settings.place, { mustExist: true });
    // Approvals take neither models nor templates.
    const runtime = openAgentRuntime({
      store,
      providers: [],
      renderer: "in-process",
    });
    try {
      return await act(runtime, settings);
    } finally {
      await runtime.close();
      await store.close();
    }
  } catch (error) {
    if (!(error instanceof CannotStart)) throw error;
    return complain({ code: "persistence-error", message: error.message }, {
      json: settings.json,
    });
  }
}

async function act(
  runtime: AgentRuntime,
  settings: ApprovalsSettings,
): Promise<number> {
  const { action } = settings;
  switch (action.kind) {
    case "list":
      return await list(runtime, action, settings);
    case "show":
      return await show(runtime, action.approvalId, settings);
    case "sweep":
      return await sweep(runtime, settings);
    default:
      return await decide(runtime, action, settings);
  }
}

async function list(
  runtime: AgentRuntime,
  { status, conversationId, limit }: Extract<ApprovalsAction, { kind: "list" }>,
  { tenantId, json }: ApprovalsSettings,
): Promise<number> {
  const listed = await runtime.approvals.list({
    tenantId,
    limit,
    ...(status === undefined ? {} : { status }),
    ...(conversationId === undefined ? {} : { conversationId }),
  });
  if (listed.kind === "err") return complain(listed.error, { json });
  const now = new Date();
  if (json) printJson(listed.value);
  else if (listed.value.length === 0) {
    console.log(
      `No ${status ?? ""} approvals of tenant ${tenantId}`
        .replace("  ", " "),
    );
  } else {
    for (const approval of listed.value) {
      for (const line of approvalLines(approval, now)) console.log(line);
    }
  }
  return 0;
}

async function show(
  runtime: AgentRuntime,
  approvalId: string,
  { tenantId, json }: ApprovalsSettings,
): Promise<number> {
  const found = await runtime.approvals.get(tenantId, approvalId);
  if (found.kind === "err") return complain(found.error, { json });
  if (json) printJson(found.value);
  else {
    for (const line of approvalDetail(found.value, new Date())) {
      console.log(line);
    }
  }
  return 0;
}

async function decide(
  runtime: AgentRuntime,
  { kind, approvalId, decidedBy, rationale }: Extract<
    ApprovalsAction,
    { kind: "approve" | "reject" }
  >,
  { tenantId, json }: ApprovalsSettings,
): Promise<number> {
  const decided = await runtime.decide({
    tenantId,
    approvalId,
    decision: kind,
    decidedBy,
    ...(rationale === undefined ? {} : { rationale }),
  });
  if (decided.kind === "err") return complain(decided.error, { json });
  if (json) printJson(decided.value);
  else for (const line of decisionLines(decided.value)) console.log(line);
  return 0;
}

/** What was decided, and how the turn goes on. */
function decisionLines(approval: Approval): string[] {
  const { id, status, decidedBy, runId, subjectRef } = approval;
  const { conversationId } = subjectRef;
  return [
    `${status}: ${id}, by ${decidedBy?.id} (${decidedBy?.role})`,
    `Its turn, run ${runId}, goes on with a worker's next look (deno task worker)${
      conversationId === undefined
        ? ""
        : `, or with deno task chat --conversation ${conversationId}`
    }`,
  ].map(terminalText);
}

async function sweep(
  runtime: AgentRuntime,
  { json }: ApprovalsSettings,
): Promise<number> {
  const swept = await runtime.sweep();
  if (swept.kind === "err") return complain(swept.error, { json });
  const { expired, asked, withdrawn } = swept.value;
  if (json) printJson(swept.value);
  else {
    console.log(
      `What was due is raised to the next role; ${expired} expired, ${asked} asked that couldn't be asked before, ${withdrawn} withdrawn whose turns have ended`,
    );
  }
  return 0;
}

/** Says what is wrong; answers the exit code. With `--json` programs find it on standard output. */
function complain(
  { code, message }: { readonly code: string; readonly message: string },
  { json }: { readonly json: boolean },
): number {
  if (json) printJson({ error: { code, message } });
  console.error(terminalText(`approvals: ${message}`));
  return EXIT_CODES[code as ApprovalError["code"]] ?? 1;
}

function printJson(value: unknown): void {
  console.log(JSON.stringify(value, null, 2));
}

process.exit(await main(process.argv.slice(2)));
