/**
 * The few things that Deno and Node do differently. Nothing else in the package names `Deno` or asks which runtime it
 * is on, process entry files aside.
 *
 * @module
 */

import { fileUrlToPath } from "./file_url.ts";
import { nodeModule, nodeProcess, runtimeName } from "./platform_runtime.ts";

export { runtimeName } from "./platform_runtime.ts";
export * from "./platform_files.ts";
export * from "./platform_http.ts";
export * from "./platform_process.ts";

/** The environment of this process, as it is now. */
export function currentEnvironment(): Record<string, string> {
  if (runtimeName === "deno") return Deno.env.toObject();
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(nodeProcess().env)) {
    if (value !== undefined) environment[name] = value;
  }
  return environment;
}

/** One variable of this process's environment. */
export function environmentVariable(name: string): string | undefined {
  return runtimeName === "deno" ? Deno.env.get(name) : nodeProcess().env[name];
}

/** Whether what is printed is to stay without colours, terminal or not: `NO_COLOR` is set, or the terminal has none. */
export function wantsNoColor(
  variable: (name: string) => string | undefined = environmentVariable,
): boolean {
  return (variable("NO_COLOR") ?? "") !== "" || variable("TERM") === "dumb";
}

/** Removes a variable from this process's environment, so that nothing it starts from then on finds it. */
export function removeEnvironmentVariable(name: string): void {
  if (runtimeName === "deno") Deno.env.delete(name);
  else delete nodeProcess().env[name];
}

/** The arguments of this process, without the program and the script. */
export function processArguments(): readonly string[] {
  return runtimeName === "deno" ? Deno.args : nodeProcess().argv.slice(2);
}

/** This process's id. */
export function processId(): number {
  return runtimeName === "deno" ? Deno.pid : nodeProcess().pid;
}

/** The id of the user that this process runs as; 0 where users have none. */
export function userId(): number {
  return (runtimeName === "deno" ? Deno.uid() : nodeProcess().getuid?.()) ?? 0;
}

/** Ends this process. */
export function exitProcess(code: number): never {
  return runtimeName === "deno" ? Deno.exit(code) : nodeProcess().exit(code);
}

/** Calls `handler` for each such signal that this process gets, instead of what the signal does by itself. */
export function onSignal(
  signal: "SIGTERM" | "SIGINT" | "SIGHUP",
  handler: () => void,
): void {
  if (runtimeName === "deno") Deno.addSignalListener(signal, handler);
  else nodeProcess().on(signal, handler);
}

/** The path of the runtime's own executable. */
export function runtimeExecutable(): string {
  return runtimeName === "deno" ? Deno.execPath() : nodeProcess().execPath;
}

/** The runtime's name and version. */
export function runtimeVersion(): string {
  return runtimeName === "deno"
    ? `deno ${Deno.version.deno}`
    : `node ${nodeProcess().version}`;
}

/** The operating system: `linux`, `darwin`, `win32` and others, as Node names them. */
export function systemName(): string {
  if (runtimeName === "node") return nodeProcess().platform;
  return Deno.build.os === "windows" ? "win32" : Deno.build.os;
}

/** Whether the operating system is one that this package refuses (`spec/executors.md`, Systems). */
export function isUnsupportedSystem(): boolean {
  return systemName() === "win32";
}

/**
 * Writes text to standard output or standard error before it returns, and answers whether it could: a reader that has
 * gone, or a file on a full disk, takes no more.
 */
export function writeText(stream: "stdout" | "stderr", text: string): boolean {
  const bytes = new TextEncoder().encode(text);
  const descriptor = stream === "stdout" ? 1 : 2;
  let written = 0;
  while (written < bytes.length) {
    try {
      written += writeSome(descriptor, bytes.subarray(written));
    } catch (error) {
      const { code, name } = error as { code?: unknown; name?: unknown };
      // A pipe that is full for now; its reader goes on reading.
      if (code !== "EAGAIN" && name !== "WouldBlock") return false;
    }
  }
  return true;
}

/** Whether standard output or standard error leads to a terminal. */
export function isTerminal(stream: "stdout" | "stderr"): boolean {
  return runtimeName === "node"
    ? nodeProcess()[stream].isTTY === true
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
  const started = nodeProcess().argv[1];
  if (started === undefined) return false;
  try {
    const path = nodeModule("fs").realpathSync(started);
    return path === fileUrlToPath(meta.url);
  } catch {
    return false;
  }
}

/** The folder that this process works in; on Deno without loading Node's `process`, which takes 10 ms and more. */
export function currentFolder(): string {
  return runtimeName === "deno" ? Deno.cwd() : nodeProcess().cwd();
}

/** The folder for temporary files. */
export function temporaryFolder(): string {
  const named = ["TMPDIR", "TMP", "TEMP"].map(environmentVariable);
  return (named.find((path) => path !== undefined && path !== "") ?? "/tmp")
    .replace(/(?<=.)\/+$/, "");
}

/** The user's home folder, where there is one. */
export function homeFolder(): string | undefined {
  const home = environmentVariable("HOME");
  return home === undefined || home === "" || home === "/" ? undefined : home;
}
