/**
 * Saying how to allow what Deno's permissions refused to a module.
 *
 * @module
 */
import { dirname } from "node:path";
import { thrownMessage } from "./errors.ts";

const DENIED =
  /Requires (net|read|write|sys|run|ffi) access to (?:"([^"]*)"|<[^>]*>)/;

/** The end of the message of a failed import: the missing permission and the flag that grants it, or nothing. */
export function grantAdvice(thrown: unknown): string {
  const denied = DENIED.exec(thrownMessage(thrown));
  if (!denied) return "";
  const kind = denied[1]!;
  const value = denied[2];
  if (kind === "read" && value !== undefined) {
    return `. The file is outside the pack: the read permission is missing. Move it into the pack, or grant its folder ` +
      `with --grant read=${dirname(value)}`;
  }
  const grant = value === undefined ? kind : `${kind}=${value}`;
  return `. Modules are imported without the ${kind} permission: do this when a call runs, not on import, or grant it with ` +
    `--grant ${grant}`;
}
