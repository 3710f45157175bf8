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

/** Another build's program and arguments, as a JSON list: the same suite then runs against that one. */
const given = Deno.env.get("KINDGI_INDEX_COMMAND");

/** The program and its first arguments; the command's own arguments follow. */
export const COMMAND: readonly string[] = given === undefined
  ? [Deno.execPath(), "run", "-A", MAIN]
  : JSON.parse(given);

/** Whether the command runs on Deno: Node 20 loads no TypeScript. */
export const ON_DENO: boolean = given === undefined;

/** Runs the command with these arguments. */
export async function kindgiIndex(
  args: readonly string[],
  options: {
    readonly cwd?: string;
    readonly env?: Readonly<Record<string, string>>;
  } = {},
): Promise<CommandRun> {
  const [program = "", ...first] = COMMAND;
  const { code, stdout, stderr } = await new Deno.Command(program, {
    args: [...first, ...args],
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: { ...options.env },
    stdin: "null",
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}
