import fc from "fast-check";
import {
  readBegun,
  readBooted,
  readExecutorName,
  readRecord,
} from "../../pack_service/executor_messages.ts";
import {
  type ByteSink,
  type Frame,
  FrameError,
  FrameReader,
  FrameType,
  FrameWriter,
  jsonPayload,
} from "../../pack_service/frames.ts";
import { assert, assertEquals, assertThrows } from "../assert.ts";

const TYPES = Object.values(FrameType);

/** A sink that takes at most so many bytes at once, the next number of the list each time. */
class SlowSink implements ByteSink {
  readonly #portions: readonly number[];
  readonly #chunks: Uint8Array[] = [];
  writes = 0;

  constructor(portions: readonly number[] = [Infinity]) {
    this.#portions = portions;
  }

  write(bytes: Uint8Array): Promise<number> {
    const portion = this.#portions[this.writes++ % this.#portions.length]!;
    const taken = bytes.slice(0, portion);
    this.#chunks.push(taken);
    return Promise.resolve(taken.length);
  }

  written(): Uint8Array {
    return new Uint8Array(this.#chunks.flatMap((chunk) => [...chunk]));
  }
}

function failOnError(error: unknown): never {
  throw error;
}

async function written(
  frames: readonly Frame[],
  sink = new SlowSink(),
): Promise<Uint8Array> {
  const writer = new FrameWriter(sink, failOnError);
  for (const { type, id, payload } of frames) {
    writer.send(type as FrameType, id, payload);
  }
  await writer.drained();
  return sink.written();
}

/** Gives a reader these bytes in portions of these sizes. */
function read(
  reader: FrameReader,
  bytes: Uint8Array,
  portions: readonly number[] = [Infinity],
): Frame[] {
  const frames: Frame[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const space = reader.space();
    assert(space.length > 0, "there is always room to read into");
    const portion = portions[turn % portions.length]!;
    const part = bytes.subarray(at, at + Math.min(portion, space.length));
    space.set(part);
    at += part.length;
    frames.push(...reader.received(part.length));
  }
  return frames;
}

function u32(value: number): number[] {
  return [value, value >>> 8, value >>> 16, value >>> 24].map((byte) =>
    byte & 0xff
  );
}

const anyFrame = fc.record({
  type: fc.constantFrom(...TYPES),
  id: fc.integer({ min: 0, max: 0xffff_ffff }),
  payload: fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    // Around the sizes at which buffers move or grow.
    fc.integer({ min: 65_400, max: 65_700 }).map((length) =>
      new Uint8Array(length).fill(7)
    ),
  ),
});
const anyPortions = fc.array(fc.integer({ min: 1, max: 70_000 }), {
  minLength: 1,
  maxLength: 8,
});

Deno.test("frames come out as they went in, however the stream is cut on either side", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyFrame, { maxLength: 12 }),
      anyPortions,
      anyPortions,
      async (frames, writes, reads) => {
        const bytes = await written(frames, new SlowSink(writes));
        assertEquals(read(new FrameReader(70_000), bytes, reads), frames);
      },
    ),
    { numRuns: 60 },
  );
});

Deno.test("frames survive a stream that arrives byte by byte", async () => {
  const frames: Frame[] = [
    { type: FrameType.call, id: 1, payload: new Uint8Array([1, 2, 3]) },
    { type: FrameType.ping, id: 0, payload: new Uint8Array() },
    { type: FrameType.abort, id: 0xffff_ffff, payload: jsonPayload("x") },
  ];
  const bytes = await written(frames);
  assertEquals(read(new FrameReader(100), bytes, [1]), frames);
});

Deno.test("a frame's payload is a copy: later reads don't change it", async () => {
  const reader = new FrameReader(100);
  const frame = { type: FrameType.call, id: 1, payload: new Uint8Array([5]) };
  const bytes = await written([frame]);
  const [first] = read(reader, bytes);
  reader.space().fill(9);
  reader.received(0);
  assertEquals(first!.payload, new Uint8Array([5]));
});

Deno.test("a huge frame passes, and its buffer is given up afterwards", async () => {
  const payload = new Uint8Array(8 * 1024 * 1024).fill(3);
  const reader = new FrameReader(payload.length);
  const bytes = await written([{ type: FrameType.answer, id: 4, payload }]);
  const [frame] = read(reader, bytes, [100_000]);
  assertEquals(frame!.payload.length, payload.length);
  assert(frame!.payload.every((byte) => byte === 3));
  assert(reader.space().length < 1024 * 1024, "the buffer is small again");
});

Deno.test("a frame of exactly the longest payload passes and one byte more doesn't", async () => {
  const frame = (length: number): Frame => ({
    type: FrameType.answer,
    id: 1,
    payload: new Uint8Array(length),
  });
  const longest = await written([frame(1_000)]);
  assertEquals(read(new FrameReader(1_000), longest).length, 1);
  const tooLong = await written([frame(1_005)]);
  assertThrows(() => read(new FrameReader(1_000), tooLong), FrameError);
});

Deno.test("a length that no frame has is an error before the rest has come", () => {
  for (const length of [0, 4, 2_000, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff]) {
    const bytes = new Uint8Array(u32(length));
    assertThrows(() => read(new FrameReader(1_000), bytes), FrameError);
  }
});

Deno.test("no stream of bytes makes a reader fail in any other way or run out of room", () => {
  fc.assert(fc.property(
    fc.uint8Array({ maxLength: 2_000 }),
    anyPortions,
    (bytes, portions) => {
      try {
        for (const frame of read(new FrameReader(500), bytes, portions)) {
          assert(frame.payload.length <= 504);
        }
      } catch (error) {
        assert(error instanceof FrameError, String(error));
      }
    },
  ));
});

Deno.test("frames of one turn go out in one write", async () => {
  const sink = new SlowSink();
  const writer = new FrameWriter(sink, failOnError);
  for (let id = 0; id < 10; id++) writer.send(FrameType.pong, id);
  await writer.drained();
  assertEquals(sink.writes, 1);
});

Deno.test("sendNow has written when it returns, unless a write is under way", async () => {
  const sink = new SlowSink([3]);
  const writer = new FrameWriter(sink, failOnError);
  assertEquals(writer.sendNow(FrameType.begun, 1), undefined);
  assertEquals(sink.writes, 1);
  const waiting = writer.sendNow(FrameType.begun, 2);
  assert(waiting instanceof Promise);
  await waiting;
  await writer.drained();
  const frames = read(new FrameReader(10), sink.written());
  assertEquals(frames.map(({ id }) => id), [1, 2]);
});

Deno.test("a sink that can't be written is told once, and later frames are dropped", async () => {
  const told: unknown[] = [];
  const broken = new Error("gone");
  let writes = 0;
  const writer = new FrameWriter({
    write: () => {
      writes++;
      return Promise.reject(broken);
    },
  }, (error) => told.push(error));
  writer.send(FrameType.ping, 0);
  await writer.drained();
  writer.send(FrameType.ping, 0);
  assertEquals(writer.sendNow(FrameType.ping, 0), undefined);
  await writer.drained();
  assertEquals(told, [broken]);
  assertEquals(writes, 1);
});

const CALL = { target: "tool", id: "t", ids: { tenantId: "a" } };

Deno.test("what an executor says is read when it has the right shape", () => {
  const begun = { ...CALL, version: "1.0.0", cpuMs: 3 };
  assertEquals<unknown>(readBegun(jsonPayload(begun)), begun);
  const booted = {
    problems: [{ message: "t: broken", toolId: "t" }],
    rssBytes: 1,
  };
  assertEquals<unknown>(readBooted(jsonPayload(booted)), booted);
  const record = {
    source: "tool",
    level: "info",
    message: "m",
    fields: { a: 1 },
  };
  assertEquals<unknown>(readRecord(jsonPayload(record)), record);
  assertEquals(readExecutorName(jsonPayload("tool a")), "tool a");
});

Deno.test("what an executor says in any other shape is an error, never a crash later", () => {
  const record = { source: "tool", level: "info", message: "m" };
  const wrong: readonly [(payload: Uint8Array) => unknown, unknown][] = [
    [readBegun, null],
    [readBegun, { ...CALL, target: "flow" }],
    [readBegun, { ...CALL, id: 1 }],
    [readBegun, { ...CALL, version: 1 }],
    [readBegun, { ...CALL, ids: null }],
    [readBegun, { ...CALL, ids: { tenantId: 1 } }],
    [readBegun, { ...CALL, cpuMs: "1" }],
    [readBooted, {}],
    [readBooted, { problems: [], rssBytes: null }],
    [readBooted, { problems: [null], rssBytes: 1 }],
    [readBooted, { problems: [{ message: "m", toolId: 1 }], rssBytes: 1 }],
    [readRecord, []],
    [readRecord, { ...record, source: "front" }],
    [readRecord, { ...record, level: "loud" }],
    [readRecord, { ...record, message: {} }],
    [readRecord, { ...record, fields: [] }],
    [readExecutorName, { name: "tool a" }],
  ];
  for (const [reader, value] of wrong) {
    assertThrows(() => reader(jsonPayload(value)), FrameError);
  }
  for (const reader of [readBegun, readBooted, readRecord, readExecutorName]) {
    assertThrows(() => reader(new TextEncoder().encode("{")), FrameError);
  }
});
