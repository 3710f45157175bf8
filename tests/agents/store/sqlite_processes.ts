/** Other processes at one SQLite file, for tests. */
import { programCommand, sourceFile } from "../../runtime.ts";

const [PROGRAM, ...FIRST] = programCommand(
  sourceFile("sqlite_child_main.ts", import.meta.url),
);

/** A process that was started. */
export interface Child {
  /** The next line that it prints; `undefined` when it ends without one. */
  line(): Promise<string | undefined>;
  /** Lets it go on. */
  tell(): Promise<void>;
  /** Ends it at once, as a crash would. */
  kill(): void;
  /** Waits for its end; answers whether it ended well, or the signal that ended it. */
  ended(): Promise<Deno.CommandStatus>;
}

/** Starts a process. */
export function startChild(...args: string[]): Child {
  const process = new Deno.Command(PROGRAM, {
    args: [...FIRST, ...args],
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const input = process.stdin.getWriter();
  const output = process.stdout.pipeThrough(new TextDecoderStream())
    .getReader();
  let pending = "";
  return {
    async line() {
      for (;;) {
        const end = pending.indexOf("\n");
        if (end >= 0) {
          const line = pending.slice(0, end);
          pending = pending.slice(end + 1);
          return line;
        }
        const { value, done } = await output.read();
        if (done) return undefined;
        pending += value;
      }
    },
    tell: () => input.write(new TextEncoder().encode("go\n")),
    kill: () => process.kill("SIGKILL"),
    async ended() {
      await input.close().catch(() => {});
      const status = await process.status;
      while (!(await output.read()).done);
      return status;
    },
  };
}

/** Makes a folder for one test, and removes it afterwards. */
export async function withFolder(
  test: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
