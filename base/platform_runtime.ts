/**
 * Which runtime this is, and the way to Node's own modules.
 *
 * @module
 */

/** Which runtime this process is: decided once. */
export const runtimeName: "deno" | "node" = "Deno" in globalThis
  ? "deno"
  : "node";

/**
 * One of Node's own modules, on Node. On Deno each of them takes milliseconds to load, so nothing that a process needs at
 * its start imports them; what is here is asked for only where Deno's own calls aren't.
 */
export function nodeModule<Name extends keyof NodeModules>(
  name: Name,
): NodeModules[Name] {
  return nodeProcess().getBuiltinModule(
    `node:${name}`,
  ) as NodeModules[Name];
}

/** The modules that {@link nodeModule} knows. */
export interface NodeModules {
  /** Processes. */
  readonly child_process: typeof import("node:child_process");
  /** Files. */
  readonly fs: typeof import("node:fs");
  /** Streams. */
  readonly stream: typeof import("node:stream");
  /** The engine. */
  readonly v8: typeof import("node:v8");
}

/**
 * Node's `process`, which is global on both runtimes. On Deno it is made when it is first asked for, which takes
 * milliseconds, so it is asked for on Node only.
 */
export function nodeProcess(): typeof import("node:process") {
  return (globalThis as unknown as { process: typeof import("node:process") })
    .process;
}
