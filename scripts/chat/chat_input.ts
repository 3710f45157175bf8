/**
 * What the user types, or what comes from a pipe.
 *
 * @module
 */
import process from "node:process";
import { createInterface } from "node:readline";
import { terminalText } from "../support/terminal_text.ts";

/** Lines, one after another. */
export interface ChatInput {
  /** Whether somebody types. */
  readonly terminal: boolean;
  /** The next line, without its end; `undefined` once there are no more. A terminal shows the prompt first. */
  next(prompt: string): Promise<string | undefined>;
  /** The same for an answer: lines that were pasted before it was asked for stay where they are. */
  ask(prompt: string): Promise<string | undefined>;
  /** Takes back a line: the next one is this one again. */
  putBack(line: string): void;
}

/** Reads a line from whoever types or sends it. */
type ReadLine = (prompt: string) => Promise<string | undefined>;

/** The input of this process; `interrupted` is called for Ctrl+C at a prompt. */
export function chatInput(interrupted: () => void): ChatInput {
  return Deno.stdin.isTerminal() && Deno.stdout.isTerminal()
    ? typedInput(interrupted)
    : pipedInput();
}

function pipedInput(): ChatInput {
  const read = pipedLines();
  const back: string[] = [];
  const next: ReadLine = (prompt) =>
    back.length > 0 ? Promise.resolve(back.pop()) : read(prompt);
  return {
    ...{ terminal: false, next, ask: next },
    putBack: (line) => void back.push(line),
  };
}

/** What a terminal sends at once, such as a text of several lines that is pasted, is so many lines; none of it is lost. */
function typedInput(interrupted: () => void): ChatInput {
  const ahead: string[] = [];
  let unfinished = "";
  const read = typedLines(interrupted, (lines, rest) => {
    ahead.push(...lines);
    unfinished += rest;
  });
  return {
    terminal: true,
    next: (prompt) => {
      const line = ahead.shift();
      if (line === undefined) {
        const begun = unfinished;
        unfinished = "";
        return read(prompt, begun);
      }
      console.log(prompt + terminalText(line));
      return Promise.resolve(line);
    },
    ask: (prompt) => read(prompt, ""),
    putBack: (line) => void ahead.unshift(line),
  };
}

/**
 * Lines with the keys of a shell. The reader is there only while it is asked: in between the terminal is as ever, and
 * Ctrl+C a signal. `surplus` takes what came at once with a line: further lines, and the beginning of one.
 */
function typedLines(
  interrupted: () => void,
  surplus: (lines: readonly string[], rest: string) => void,
): (prompt: string, begun: string) => Promise<string | undefined> {
  let history: string[] = [];
  return (prompt, begun) =>
    new Promise((resolve) => {
      const reader = createInterface({
        input: process.stdin,
        output: process.stdout,
        prompt,
        terminal: true,
        history: [...history],
        removeHistoryDuplicates: true,
      });
      const lines: string[] = [];
      reader.on("history", (lines: string[]) => history = [...lines]);
      reader.on("SIGINT", interrupted);
      reader.on("line", (line: string) => {
        // The rest of what came at once is still to be read.
        if (lines.push(line) === 1) setTimeout(() => reader.close(), 0);
      });
      reader.on("close", () => {
        const [line, ...more] = lines;
        if (line !== undefined) surplus(more, reader.line);
        // The cursor stands behind what wasn't sent.
        if (line === undefined || reader.line !== "") console.log();
        resolve(line);
      });
      reader.prompt();
      if (begun !== "") reader.write(begun);
    });
}

/** Lines of a pipe or a file, read as they are asked for. */
function pipedLines(): ReadLine {
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
