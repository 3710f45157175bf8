/**
 * A render worker: the process that a worker renderer starts. It renders one template after another and nothing else.
 *
 * On Deno it runs without any permission and talks over standard input and output, reading and writing without an event
 * loop, which is the quickest way there is. On Node it talks over the channel of `child_process.fork`. It ends when the
 * other side does.
 *
 * @module
 */

import process from "node:process";
import type { LiquidBounds } from "./bounds.ts";
import { encodeFrame, FrameReader } from "./frames.ts";
import { renderAdmitted } from "./render_template.ts";
import {
  READY,
  type RenderAnswer,
  type RenderJob,
  type WorkerSettings,
} from "./worker_messages.ts";

/** Answers the messages of a renderer in turn. */
class Worker {
  #bounds: LiquidBounds | undefined;

  answer(message: string): string {
    if (this.#bounds === undefined) {
      this.#bounds = (JSON.parse(message) as WorkerSettings).bounds;
      warmUp(this.#bounds);
      return READY;
    }
    return JSON.stringify(render(JSON.parse(message), this.#bounds));
  }
}

function render(job: RenderJob, bounds: LiquidBounds): RenderAnswer {
  const startedAt = performance.now();
  const result = renderAdmitted(job, bounds);
  const ms = performance.now() - startedAt;
  if (result.kind === "ok") return { ms, rendered: result.value };
  const { code, message } = result.error;
  return code === "missing-parameter" &&
      result.error.parameterName !== undefined
    ? { ms, code, message, parameterName: result.error.parameterName }
    : { ms, code, message };
}

/** Runs the engine's usual paths once, so that the first tenant doesn't wait for the code to be compiled. */
function warmUp(bounds: LiquidBounds): void {
  const template =
    "{% assign a = x | upcase %}{% for i in (1..3) %}{% if i > 1 %}{{ a }}{{ forloop.index }}{% endif %}{% endfor %}" +
    "{% capture c %}{{ list | join: ', ' }}{% endcapture %}{{ c | default: 'none' }}{{ now | date: '%Y' }}";
  const scope = { x: "a", list: ["b", "c"], now: "2026-01-01T00:00:00.000Z" };
  for (let round = 0; round < 20; round++) {
    renderAdmitted({ template, scope }, bounds);
  }
}

function serveOnDeno(worker: Worker): void {
  const reader = new FrameReader(Number.MAX_SAFE_INTEGER);
  const chunk = new Uint8Array(1 << 16);
  for (;;) {
    const count = Deno.stdin.readSync(chunk);
    if (count === null) return;
    for (const message of reader.push(chunk.subarray(0, count))) {
      writeAll(encodeFrame(worker.answer(message)));
    }
  }
}

function writeAll(bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length;) {
    written += Deno.stdout.writeSync(bytes.subarray(written));
  }
}

function serveOnNode(worker: Worker): void {
  process.on("message", (message: string) => {
    process.send?.(worker.answer(message));
  });
}

if ("Deno" in globalThis) serveOnDeno(new Worker());
else serveOnNode(new Worker());
