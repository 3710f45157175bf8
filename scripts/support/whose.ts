/**
 * Whose conversations and approvals a command works with, and as whom.
 *
 * @module
 */
import { userInfo } from "node:os";
import process from "node:process";
import { REVIEWER_ROLES, type ReviewerRole } from "../../agents/mod.ts";

/** The tenant where none is named. */
export const DEFAULT_TENANT = "local";
/** The project where none is named. */
export const DEFAULT_PROJECT = "local";

/** Where relative paths of a command line start: `deno task` changes into the folder of its config. */
export function workingFolder(): string {
  return process.env.INIT_CWD ?? process.cwd();
}

/** The name of the user at the terminal. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "terminal"; // A container's user needn't have a name.
  }
}

/** Whether a text names a reviewer's role. */
export function isReviewerRole(text: string): text is ReviewerRole {
  return (REVIEWER_ROLES as readonly string[]).includes(text);
}

/** Which of these flags is given without a value that could name anybody, in one sentence. */
export function emptyFlag(
  values: Readonly<Record<string, unknown>>,
  names: readonly string[],
): string | undefined {
  const name = names.find((name) => {
    const value = values[name];
    return typeof value === "string" && value.trim() === "";
  });
  return name === undefined ? undefined : `--${name} is empty`;
}

/** What is wrong with a role, in one sentence. */
export function roleProblem(text: string): string {
  return `--role must be one of ${REVIEWER_ROLES.join(", ")}, got ${
    JSON.stringify(text)
  }`;
}

/** The shortest way to write an argument that a shell takes as one word. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text)
    ? text
    : `'${text.replaceAll("'", `'\\''`)}'`;
}
