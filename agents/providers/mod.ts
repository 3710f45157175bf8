/**
 * Model providers that come with the runtime.
 *
 * @module
 */

export { createScriptedProvider } from "./scripted.ts";
export type {
  ScriptedAnswer,
  ScriptedAnswerFunction,
  ScriptedProvider,
  ScriptedProviderOptions,
} from "./scripted.ts";
