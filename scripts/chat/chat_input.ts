/**
 * What the user types, or what comes from a pipe.
 *
 * @module
 */
import process from "node:process";
import { createInterface } from "node:readline";

/** Lines, one after another. */
export interface ChatInput {
  /** Whether somebody types. */
  readonly terminal: boolean;
  /** The next line, without its end; `undefined` once there are no more. A terminal shows the prompt first. */
  next(prompt: string): Promise<string | undefined>;
  /** Takes back a line: the next one is this one again. */
  putBack(line: string): void;
}

/** The input of this process; `interrupted` is called for Ctrl+C at a prompt. */
export function chatInput(interrupted: () => void): ChatInput {
  const terminal = Deno.stdin.isTerminal() && Deno.stdout.isTerminal();
  const back: string[] = [];
  const next = terminal ? typedLines(interrupted) : pipedLines();
  return {
    terminal,
    next: (prompt) =>
      back.length > 0 ? Promise.resolve(back.pop()) : next(prompt),
    putBack: (line) => void back.push(line),
  };
}

/**
 * Lines with the keys of a shell. The reader is there only while it is asked: in between the terminal is as ever, and
 * Ctrl+C a signal.
 */
function typedLines(
  interrupted: () => void,
): (prompt: string) => Promise<string | undefined> {
  let history: string[] = [];
  return (prompt) =>
    new Promise((resolve) => {
      const reader = createInterface({
        input: process.stdin,
        output: process.stdout,
        terminal: true,
        history: [...history],
        removeHistoryDuplicates: true,
      });
      let line: string | undefined;
      reader.on("history", (lines: string[]) => history = [...lines]);
      reader.on("SIGINT", interrupted);
      reader.on("close", () => {
        if (line === undefined) console.log();
        resolve(line);
      });
      reader.question(prompt, (answer: string) => {
        line = answer;
        reader.close();
      });
    });
}

/** Lines of a pipe or a file, read as they are asked for. */
function pipedLines(): () => Promise<string | undefined> {
  const lines = linesOf(Deno.stdin.readable);
  return async () => {
    const { done, value } = await lines.next();
    return done ? undefined : value;
  };
}

async function* linesOf(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<string, undefined> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    yield* lines.map((line) => line.replace(/\r$/, ""));
  }
  if (rest !== "") yield rest;
  return undefined;
}
