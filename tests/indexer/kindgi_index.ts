/** Running the command `kindgi-index` as a process. */
import { fileURLToPath } from "node:url";

/** How a run of the command ended. */
export interface CommandRun {
  /** The exit code. */
  readonly code: number;
  /** Everything on standard output. */
  readonly stdout: string;
  /** Everything on standard error. */
  readonly stderr: string;
}

/** The path of the command's process entry. */
export const MAIN = fileURLToPath(
  new URL("../../indexer/main.ts", import.meta.url),
);

/** Runs the command with these arguments. */
export async function kindgiIndex(
  args: readonly string[],
  options: {
    readonly cwd?: string;
    readonly env?: Readonly<Record<string, string>>;
  } = {},
): Promise<CommandRun> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", MAIN, ...args],
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: { ...options.env },
    stdin: "null",
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}
