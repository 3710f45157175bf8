/**
 * Questions to reviewers, as people read them on a terminal.
 *
 * @module
 */
import type { Approval } from "../../agents/mod.ts";
import { shownJson, type Style, styled } from "../printed.ts";
import { terminalLine, terminalText } from "./terminal_text.ts";

/** An approval in two lines, for a list: where it stands, and what is asked. */
export function approvalLines(approval: Approval, now: Date): string[] {
  const { id, title } = approval;
  return [
    `${styled("bold", id)}  ${shownStatus(approval)}  ${
      styled("dim", timeLine(approval, now))
    }`,
    `  ${terminalLine(title)}`,
    ...subjectLines(approval, 4),
  ];
}

/** An approval in full. */
export function approvalDetail(approval: Approval, now: Date): string[] {
  const { id, description, runId, subjectRef, decidedBy, rationale } = approval;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["status", shownStatus(approval)],
    ["asked", `${approval.createdAt} (${timeLine(approval, now)})`],
    ["role", approval.requiredRole],
    ["about", approval.subjectKind],
    ["agent", joined(subjectRef.agentId, subjectRef.agentVersion)],
    ["tool", joined(subjectRef.toolId, subjectRef.toolVersion)],
    ["conversation", subjectRef.conversationId],
    ["run", runId],
    ["decided by", decidedBy && `${decidedBy.id} (${decidedBy.role})`],
    ["decided at", approval.decidedAt],
    ["rationale", rationale],
  ];
  return [
    `${styled("bold", id)}  ${terminalLine(approval.title)}`,
    ...rows.flatMap(([name, value]) =>
      value === undefined
        ? []
        : [`  ${styled("dim", name.padEnd(13))}${terminalLine(value, 500)}`]
    ),
    ...(description === approval.title
      ? []
      : ["", ...terminalText(description).split("\n").map((l) => `  ${l}`)]),
    ...(subjectRef.arguments === undefined ? [] : [
      "",
      `  ${styled("dim", "arguments")}`,
      ...argumentLines(subjectRef.arguments, 4),
    ]),
  ];
}

/** What a tool would be called with; all of it: it is what somebody agrees to. */
export function subjectLines(
  { subjectRef }: Approval,
  indent: number,
): string[] {
  return subjectRef.arguments === undefined
    ? []
    : argumentLines(subjectRef.arguments, indent);
}

function argumentLines(args: unknown, indent: number): string[] {
  return terminalText(shownJson(args, { indent: " ".repeat(indent) }))
    .split("\n");
}

const STYLES: Readonly<Record<Approval["status"], Style>> = {
  pending: "cyan",
  approved: "green",
  rejected: "red",
  expired: "dim",
  withdrawn: "dim",
};

function shownStatus({ status, requiredRole }: Approval): string {
  const shown = styled(STYLES[status], status);
  return status === "pending" ? `${shown} (${requiredRole} or higher)` : shown;
}

function timeLine(
  { status, createdAt, expiresAt, decidedAt }: Approval,
  now: Date,
): string {
  const ago = (at: string) => `${span(now.getTime() - Date.parse(at))} ago`;
  if (status !== "pending") return `${status} ${ago(decidedAt ?? createdAt)}`;
  const left = Date.parse(expiresAt) - now.getTime();
  return `asked ${ago(createdAt)}, ${
    left > 0 ? `${span(left)} left` : "past its time"
  }`;
}

/** A span of time in its largest unit: `3 min`. */
function span(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} days`;
}

function joined(
  id: string | undefined,
  version: string | undefined,
): string | undefined {
  return id === undefined || version === undefined ? id : `${id} ${version}`;
}
