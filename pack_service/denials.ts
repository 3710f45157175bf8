/**
 * What would allow something that Deno's permissions refused, said at the end of the error's message.
 *
 * @module
 */

/** How pack code of one executor may be given more. */
export type PermissionSource = "grant" | "declaration";

/** Deno names what was asked for in quotes, a place that it has a name for as `<TMP>`, and nothing where all was asked. */
const DENIED =
  /Requires (net|read|write|sys|run|ffi|import|all) access(?: to (?:"([^"]*)"|(<[^>]*>)))?/;

/**
 * The way out of a denial, or `undefined` when a message is none.
 *
 * Under `"grant"` it names the operator's flag; under `"declaration"` (a strict tool) what the tool has to declare in the
 * pack, since grants never reach it (`spec/executors.md`, Permissions).
 */
export function wayOutOfDenial(
  message: string,
  source: PermissionSource,
): string | undefined {
  if (/cannot find native binding/i.test(message)) {
    return source === "grant"
      ? "Start the service with --grant ffi if this pack may load native libraries"
      : "A strict tool can't load native libraries; take `sandbox: 'strict'` off this tool if it needs them";
  }
  if (/symlink(?:Sync)?\(\) requires unscoped/.test(message)) {
    return source === "grant"
      ? startWith("KINDGI_PACK_PERMISSIONS=all")
      : "A strict tool makes no symbolic links; take `sandbox: 'strict'` off this tool if it needs them";
  }
  const denied = DENIED.exec(message);
  if (denied === null) return undefined;
  const what = denied[2];
  // No grant opens the files of processes and devices: Deno asks for "all" where code reads them.
  const hidden = denied[1] === "all" ||
    denied[1] === "read" && /^\/(?:proc|dev\/fd)(?:\/|$)/.test(what ?? "");
  const kind = denied[1] === "all" ? "read" : denied[1]!;
  if (kind === "import") {
    return "Nothing is loaded from the network while the pack runs; make it one of the pack's dependencies and import it statically";
  }
  if (source === "declaration") {
    if (kind !== "net") {
      return `A strict tool has no ${kind} access here; take \`sandbox: 'strict'\` off this tool if it needs that`;
    }
    const host = what === undefined ? "its host" : `"${what}"`;
    return `Declare it in the tool: network: { kind: 'allowlist', hosts: [${host}] }`;
  }
  if (hidden) return startWith("KINDGI_PACK_PERMISSIONS=all");
  if (what) return startWith(`--grant ${kind}=${what}`);
  if (kind === "ffi") return startWith("--grant ffi");
  if (denied[3] !== undefined) {
    return startWith(`--grant ${kind}=PATH for the path of ${denied[3]}`);
  }
  return startWith("KINDGI_PACK_PERMISSIONS=all");
}

function startWith(setting: string): string {
  return `Start the service with ${setting} to allow it`;
}
