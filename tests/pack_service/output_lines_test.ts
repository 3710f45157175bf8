import fc from "fast-check";
import {
  GUARD_SEPARATOR,
  type GuardReport,
} from "../../pack_service/executor_boot.ts";
import {
  forEachLine,
  guardFilter,
  withoutPose,
} from "../../pack_service/output_lines.ts";
import { assert, assertEquals } from "../assert.ts";

const MARK = "c0ffee";

/** A stream of these bytes, cut at these places. */
function streamOf(
  bytes: Uint8Array,
  cuts: readonly number[] = [],
): ReadableStream<Uint8Array> {
  const places = [0, ...[...cuts].sort((a, b) => a - b), bytes.length];
  return ReadableStream.from(
    places.slice(1).map((end, at) => bytes.slice(places[at], end)),
  );
}

async function linesOf(
  stream: ReadableStream<Uint8Array>,
  filter?: (bytes: Uint8Array) => Uint8Array,
): Promise<string[]> {
  const lines: string[] = [];
  await forEachLine(stream, (line) => lines.push(line), filter);
  return lines;
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

Deno.test("lines come one by one, and an open one at the end is ended", async () => {
  const lines = await linesOf(streamOf(encode("one\n\ntwo\nthree")));
  assertEquals(lines, ["one\n", "\n", "two\n", "three\n"]);
});

Deno.test("lines are the same wherever the stream is cut, also inside a character", async () => {
  await fc.assert(fc.asyncProperty(
    fc.array(fc.string({ unit: "grapheme", maxLength: 12 }), { maxLength: 6 }),
    fc.array(fc.nat(80), { maxLength: 8 }),
    async (texts, cuts) => {
      const text = texts.join("\n");
      const bytes = encode(text);
      const lines = await linesOf(
        streamOf(bytes, cuts.map((cut) => Math.min(cut, bytes.length))),
      );
      const whole = text === "" || text.endsWith("\n") ? text : `${text}\n`;
      assertEquals(lines.join(""), whole);
      assert(lines.every((line) => line.indexOf("\n") === line.length - 1));
    },
  ));
});

Deno.test("a line without an end is passed on in pieces instead of being kept", async () => {
  const part = "x".repeat(700_000);
  const lines = await linesOf(
    streamOf(encode(part.repeat(3)), [700_000, 1_400_000]),
  );
  assertEquals(lines.length, 2);
  assertEquals(lines.join("").replaceAll("\n", "").length, 2_100_000);
});

Deno.test("broken UTF-8 at the end of a stream is shown, not lost", async () => {
  const lines = await linesOf(streamOf(new Uint8Array([0x61, 0xc3])));
  assertEquals(lines, ["a\ufffd\n"]);
});

/** What pack code may print: all kinds of bytes, the guard's separator among them. */
const printed = fc.array(
  fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 8 }),
    fc.constantFrom(
      GUARD_SEPARATOR,
      `${GUARD_SEPARATOR}c0f`,
      `${GUARD_SEPARATOR}${GUARD_SEPARATOR}`,
      "\n",
      "ü\n",
    ),
  ),
  { maxLength: 10 },
).map((parts) => `${parts.join("")}.\n`);

Deno.test("the guard's reports are taken out of a stream wherever they stand and however it is cut", async () => {
  await fc.assert(
    fc.asyncProperty(
      printed,
      fc.array(
        fc.record({
          at: fc.nat(60),
          cpuMs: fc.nat(1_000_000),
          rssBytes: fc.nat(2 ** 31 - 1),
        }),
        { maxLength: 6 },
      ),
      fc.array(fc.nat(300), { maxLength: 10 }),
      async (text, inserted, cuts) => {
        const bytes = encode(text);
        const sorted = inserted
          .map((report) => ({ ...report, at: report.at % bytes.length }))
          .sort((a, b) => a.at - b.at);
        const whole: number[] = [];
        let from = 0;
        for (const { at, cpuMs, rssBytes } of sorted) {
          whole.push(
            ...bytes.slice(from, at),
            ...encode(
              `${GUARD_SEPARATOR}${MARK}:${cpuMs}:${rssBytes}${GUARD_SEPARATOR}`,
            ),
          );
          from = at;
        }
        whole.push(...bytes.slice(from));
        const reports: GuardReport[] = [];
        const lines = await linesOf(
          streamOf(
            new Uint8Array(whole),
            cuts.map((cut) => cut % whole.length),
          ),
          guardFilter(MARK, (report) => reports.push(report)),
        );
        assertEquals(lines.join(""), text);
        assertEquals(
          reports,
          sorted.map(({ cpuMs, rssBytes }) => ({ cpuMs, rssBytes })),
        );
      },
    ),
    { numRuns: 300 },
  );
});

Deno.test("a report with another mark is text of the pack", async () => {
  const forged = `${GUARD_SEPARATOR}beef:1:1${GUARD_SEPARATOR}\n`;
  const reports: GuardReport[] = [];
  const lines = await linesOf(
    streamOf(encode(forged)),
    guardFilter(MARK, (report) => reports.push(report)),
  );
  assertEquals(lines, [forged]);
  assertEquals(reports, []);
});

Deno.test("a line that poses as a record of the service loses its subsystem", () => {
  const posing: readonly [string, string][] = [
    [
      '{"subsystem":"pack","event":"call","x":1}\n',
      '{"event":"call","x":1}\n',
    ],
    ['  {"a":1,"subsystem":"pack.tool"}\n', '{"a":1}\n'],
    ['{"subsystem":"pack","kind":"x"}\n', '{"kind":"x"}\n'],
    ['{"\\u0073ubsystem":"pack"}\n', "{}\n"],
    ['{"subsystem":"mine","subsystem":"pack"}\n', "{}\n"],
    ['{"kind":"listening","port":1}\n', '{"port":1}\n'],
    ['{"kind":"stopped"}\r\n', "{}\n"],
  ];
  for (const [line, expected] of posing) {
    assertEquals(withoutPose(line), expected, line);
  }
});

Deno.test("every other line stays as it is, to the byte", () => {
  for (
    const line of [
      "plain\n",
      "\n",
      '{"subsystem":"packer","a" : 1}\n',
      '{"subsystem":["pack"]}\n',
      '{"subsystem":"mine","kind":"call"}\n',
      '{"kind":"mine"}\n',
      '["subsystem","pack"]\n',
      '{"subsystem":"pack"\n',
      'note: {"subsystem":"pack"}\n',
    ]
  ) assertEquals(withoutPose(line), line);
});
