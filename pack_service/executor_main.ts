/**
 * The entry of an executor's process: loads the pack and runs the calls that the front sends.
 *
 * Started by the front with the path of a local socket. It runs as one bundled file without bare imports, imports pack
 * modules by computed `import()` only, so that its permissions hold for them, and never sees the token
 * (`spec/executors.md`).
 *
 * @module
 */

import { LOG_LEVELS, type LogLevel } from "../base/log_settings.ts";
import { logValue } from "../base/redact.ts";
import { RollingMap } from "../base/rolling_map.ts";
import { causeOf, describeThrown } from "./causes.ts";
import { wayOutOfDenial } from "./denials.ts";
import { overlayEnvironment } from "./env_overlay.ts";
import { CallAbort } from "./call_abort.ts";
import type { AbortReason, ExecutorRecord } from "./executor.ts";
import {
  answerPayload,
  type ExecutorBoot,
  type ExecutorBooted,
} from "./executor_boot.ts";
import {
  type Frame,
  FrameReader,
  FrameType,
  FrameWriter,
  jsonPayload,
  loadFrameWriting,
  readJsonPayload,
} from "./frames.ts";
import { startGuard } from "./guard.ts";
import { failure } from "./error_answer.ts";
import { packError } from "./protocol.ts";
import { importTogether } from "./module_import.ts";
import { PackRunner } from "./pack_runner.ts";
import { compileSchema, freezeSchema } from "../base/json_schema.ts";

/** How long after the boot the schema compiler is warmed up, in ms. */
const WARM_UP_AFTER_MS = 250;

/** Longest frame from the front: what a body may be, with room. The front has checked the body. */
const MAX_FRAME_BYTES = 2 ** 31;

const [socketPath, ...lent] = Deno.args;
if (socketPath === undefined) {
  console.error("an executor is started by the pack service, not by hand");
  Deno.exit(2);
}
const connection = await Deno.connect({ transport: "unix", path: socketPath });
// Only the connection needed them.
for (const name of lent) {
  Deno.permissions.revokeSync(
    name === "net"
      ? { name, host: `unix:${socketPath}` }
      : { name: name as "read" | "write", path: socketPath },
  );
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  // The front drains; an executor leaves when the front closes the channel.
  Deno.addSignalListener(signal, () => {});
}

// Taken before pack code runs, which may replace what is global.
const exit: (code?: number) => never = Deno.exit;
const { memoryUsage } = Deno;
const writer = new FrameWriter(connection, () => exit(0));
const reader = new FrameReader(MAX_FRAME_BYTES);
const aborts = new RollingMap<number, CallAbort>();

function leave(): never {
  return exit(0);
}

async function readFrames(): Promise<Frame[]> {
  const count = await connection.read(reader.space()).catch(() => null);
  if (count === null) leave();
  return reader.received(count);
}

/** The frames that came with the boot frame, if any. */
let early: Frame[] = [];
while (early.length === 0) early = await readFrames();
const [first, ...rest] = early;
if (first?.type !== FrameType.boot) leave();
const boot = readJsonPayload(first.payload) as ExecutorBoot;

/** CPU time of this process in ms, where it is limited. */
let cpuMs: (() => number) | undefined;
if (boot.guardMark !== undefined) {
  await startGuard(boot.guardMark);
  // Node's `process` is global too, and made when it is first asked for: most executors never do.
  const { process } = globalThis;
  const { cpuUsage } = process;
  cpuMs = () => {
    const { user, system } = cpuUsage.call(process);
    return (user + system) / 1_000;
  };
}
overlayEnvironment(Deno.env);
// Writing there takes no permission, it outlives the process, and every pack on this machine would share it.
for (const name of ["localStorage", "sessionStorage", "caches"]) {
  Reflect.deleteProperty(globalThis, name);
}

function unhandled(
  origin: "unhandledrejection" | "error",
  thrown: unknown,
): void {
  const record: ExecutorRecord = {
    source: "unhandled",
    level: "error",
    message: describeThrown(thrown),
    fields: { origin, cause: logValue(causeOf(thrown)) },
  };
  writer.send(FrameType.record, 0, jsonPayload(record));
}
globalThis.addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  unhandled("unhandledrejection", event.reason);
});
globalThis.addEventListener("error", (event) => {
  event.preventDefault();
  unhandled("error", event.error);
});

const threshold = LOG_LEVELS.indexOf(boot.logLevel);
const runner = new PackRunner({
  tools: boot.tools.map((tool) => ({
    ...tool,
    inputSchema: freezeSchema(tool.inputSchema),
    outputSchema: freezeSchema(tool.outputSchema),
  })),
  checks: boot.checks,
  maxOutputBytes: boot.maxOutputBytes,
  importTogether,
  logEnabled: (level: LogLevel) => LOG_LEVELS.indexOf(level) <= threshold,
  wayOut: (message) => wayOutOfDenial(message, boot.permissionSource),
  cpuMs,
});

function runCall(id: number, body: Uint8Array): void {
  const abort = new CallAbort();
  aborts.set(id, abort);
  runner.call(body, abort, {
    begun: (call) => {
      // The front has to know before the handler runs: it may spin, and then nothing is sent any more.
      return writer.sendNow(FrameType.begun, id, jsonPayload(call));
    },
    named: (call) => writer.send(FrameType.begun, id, jsonPayload(call)),
    isolated: (executor) => {
      aborts.delete(id);
      writer.send(FrameType.isolated, id, jsonPayload(executor));
    },
    log: (level, message, fields) => {
      const record: ExecutorRecord = {
        source: "tool",
        level,
        message,
        ...(fields === undefined
          ? {}
          : { fields: logValue(fields) as Record<string, unknown> }),
      };
      writer.send(FrameType.record, id, jsonPayload(record));
    },
    answered: (answer) => {
      aborts.delete(id);
      writer.send(FrameType.answer, id, answerPayload(answer));
    },
  });
}

const TAKEN_BACK = packError("cancelled", "The call was taken back");

/** The calls that these frames bring and take back at once: their callers left while this thread was busy. */
function takenBack(frames: readonly Frame[]): ReadonlySet<number> {
  const ids = new Set<number>();
  for (const { type, id } of frames) if (type === FrameType.abort) ids.add(id);
  return ids;
}

function take(frames: readonly Frame[]): void {
  const unwanted = takenBack(frames);
  for (const { type, id, payload } of frames) {
    switch (type) {
      case FrameType.call:
        if (unwanted.has(id)) {
          writer.send(FrameType.answer, id, answerPayload(failure(TAKEN_BACK)));
        } else {
          runCall(id, payload);
        }
        break;
      case FrameType.abort:
        aborts.get(id)?.abort(readJsonPayload(payload) as AbortReason);
        break;
      case FrameType.ping:
        writer.send(FrameType.pong, 0);
        break;
      case FrameType.stop:
        leave();
    }
  }
}

const problems = await runner.prewarm();
const booted: ExecutorBooted = {
  problems,
  rssBytes: memoryUsage().rss,
};
await writer.sendNow(FrameType.booted, 0, jsonPayload(booted));
loadFrameWriting();
// The first schema that is compiled costs as much as a hundred later ones; better soon than in somebody's call. Not at
// once: a call that has been waiting for the boot would have to wait for this too before it can begin.
setTimeout(() => compileSchema({}, "input"), WARM_UP_AFTER_MS);
take(rest);
for (;;) take(await readFrames());
