/**
 * What a renderer and its workers say to each other, each message a JSON text.
 *
 * First the renderer sends its bounds and the worker answers `ready`; then one `RenderJob` after another is answered by
 * one `RenderAnswer` each.
 *
 * @module
 */

import { isRecord } from "../../base/result.ts";
import type { LiquidBounds } from "./bounds.ts";
import type { PromptRenderError } from "./errors.ts";

/** The first message to a worker. */
export interface WorkerSettings {
  /** The bounds that it renders under, as long as it lives. */
  readonly bounds: LiquidBounds;
}

/** A worker's first message: it has loaded the engine and rendered once. */
export const READY = '"ready"';

/** One render. */
export interface RenderJob {
  /** The template. */
  readonly template: string;
  /** Its scope: plain data. */
  readonly scope: Record<string, unknown>;
}

/** What came of a render, and the milliseconds that it took. */
export type RenderAnswer =
  & { readonly ms: number }
  & (
    | { readonly rendered: string }
    | {
      readonly code: PromptRenderError["code"];
      readonly message: string;
      readonly parameterName?: string;
    }
  );

/** Reads a worker's answer; `undefined` for anything that isn't one. */
export function parseAnswer(message: string): RenderAnswer | undefined {
  let answer: unknown;
  try {
    answer = JSON.parse(message);
  } catch {
    return undefined;
  }
  if (!isRecord(answer) || typeof answer.ms !== "number") return undefined;
  if (typeof answer.rendered === "string") {
    return { ms: answer.ms, rendered: answer.rendered };
  }
  const { ms, code, message: text, parameterName } = answer;
  if (code !== "missing-parameter" && code !== "render-failure") {
    return undefined;
  }
  if (typeof text !== "string") return undefined;
  return {
    ms,
    code,
    message: text,
    ...(typeof parameterName === "string" ? { parameterName } : {}),
  };
}
