/**
 * The few things that Deno and Node do differently. Nothing else in the package names `Deno` or asks which runtime it
 * is on, process entry files aside.
 *
 * @module
 */

import process from "node:process";
import { fileUrlToPath } from "./file_url.ts";
import { nodeModule, runtimeName } from "./platform_runtime.ts";

export { runtimeName } from "./platform_runtime.ts";
export * from "./platform_files.ts";
export * from "./platform_http.ts";
export * from "./platform_process.ts";

/** The environment of this process, as it is now. */
export function currentEnvironment(): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined) environment[name] = value;
  }
  return environment;
}

/** The path of the runtime's own executable. */
export function runtimeExecutable(): string {
  return process.execPath;
}

/** Whether `value` is the operating system's name that this package refuses (`spec/executors.md`, Systems). */
export function isUnsupportedSystem(): boolean {
  return process.platform === "win32";
}

/** Writes text to standard output or standard error before it returns; a reader that has gone is no error. */
export function writeText(stream: "stdout" | "stderr", text: string): void {
  const bytes = new TextEncoder().encode(text);
  const descriptor = stream === "stdout" ? 1 : 2;
  let written = 0;
  while (written < bytes.length) {
    try {
      written += writeSome(descriptor, bytes.subarray(written));
    } catch (error) {
      const { code, name } = error as { code?: unknown; name?: unknown };
      // A pipe that is full for now; its reader goes on reading.
      if (code !== "EAGAIN" && name !== "WouldBlock") return;
    }
  }
}

/** Whether standard output or standard error leads to a terminal. */
export function isTerminal(stream: "stdout" | "stderr"): boolean {
  return runtimeName === "node"
    ? process[stream].isTTY === true
    : Deno[stream].isTerminal();
}

function writeSome(descriptor: 1 | 2, bytes: Uint8Array): number {
  if (runtimeName === "node") {
    return nodeModule("fs").writeSync(descriptor, bytes);
  }
  return (descriptor === 1 ? Deno.stdout : Deno.stderr).writeSync(bytes);
}

/**
 * Whether a module is what the process was started with, also through a symbolic link; `meta` is its `import.meta`.
 */
export function isProcessEntry(
  meta: { readonly url: string; readonly main?: boolean },
): boolean {
  if (meta.main !== undefined) return meta.main;
  const started = process.argv[1];
  if (started === undefined) return false;
  try {
    const path = nodeModule("fs").realpathSync(started);
    return path === fileUrlToPath(meta.url);
  } catch {
    return false;
  }
}

/** The folder for temporary files. */
export function temporaryFolder(): string {
  const { TMPDIR, TMP, TEMP } = process.env;
  return (TMPDIR || TMP || TEMP || "/tmp").replace(/(?<=.)\/+$/, "");
}

/** The user's home folder, where there is one. */
export function homeFolder(): string | undefined {
  const { HOME } = process.env;
  return HOME === undefined || HOME === "" || HOME === "/" ? undefined : HOME;
}
