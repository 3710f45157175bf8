/**
 * Saying how to allow what Deno's permissions refused to a module.
 *
 * @module
 */
import { dirname } from "node:path";
import { thrownMessage } from "./errors.ts";
import { isWithin } from "./places.ts";

const DENIED =
  /Requires (net|read|write|sys|run|ffi) access(?: to (?:"([^"]*)"|<[^>]*>))?/;

/** What Node's name look-up says where the network is denied. */
const LOOKUP_DENIED = /^getaddrinfo EPERM (\S+)/;

/** What Node's `execSync` says of a program that it may not start, and of one that failed. */
const COMMAND_FAILED = /^Command failed: (\S+)/;

/**
 * The end of the message of a failed import: the missing permission and the flag that grants it, or nothing.
 *
 * `packDir` is the pack's root without links: what is denied inside it is a link that leads out.
 */
export function grantAdvice(thrown: unknown, packDir: string): string {
  const message = thrownMessage(thrown);
  const denied = DENIED.exec(message);
  if (denied) {
    const [, kind = "", value] = denied;
    return kind === "read" && value !== undefined
      ? readAdvice(value, packDir)
      : importAdvice(kind, value);
  }
  const host = LOOKUP_DENIED.exec(message)?.[1];
  if (host !== undefined) return importAdvice("net", host);
  const program = COMMAND_FAILED.exec(message)?.[1];
  return program === undefined ? "" : importAdvice("run", program);
}

function readAdvice(path: string, packDir: string): string {
  return isWithin(packDir, path)
    ? ". It is, or lies behind, a link that leads out of the pack, where the read permission is missing. Replace the " +
      "link, or grant the folder that it leads to with --grant read=…"
    : ". The file is outside the pack: the read permission is missing. Move it into the pack, or grant its folder " +
      `with --grant read=${dirname(path)}`;
}

function importAdvice(kind: string, value: string | undefined): string {
  const grant = value === undefined ? kind : `${kind}=${value}`;
  return `. Modules are imported without the ${kind} permission: do this when a call runs, not on import, or grant it with ` +
    `--grant ${grant}`;
}
