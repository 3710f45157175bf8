/**
 * What the provider takes of an AI SDK language model, of the specifications v2, v3 and v4.
 *
 * They are written down here, as far as they are used, so that the door needs no version of the SDK: a host brings the
 * model, and with it the SDK of its choice.
 *
 * @module
 */

/** A language model object of the AI SDK: what `provider("model-id")` of an SDK provider answers. */
export interface AiSdkLanguageModel {
  /** The specification that it follows: `v2`, `v3` or `v4`. */
  readonly specificationVersion: string;
  /** The name of its SDK provider. */
  readonly provider: string;
  /** The provider's name of the model. */
  readonly modelId: string;
  /** Calls the model once. */
  doGenerate(options: never): PromiseLike<unknown>;
}

/** One message of a prompt. */
export type PromptMessage =
  | { readonly role: "system"; readonly content: string }
  | { readonly role: "user"; readonly content: readonly TextPart[] }
  | {
    readonly role: "assistant";
    readonly content: readonly (TextPart | ToolCallPart)[];
  }
  | { readonly role: "tool"; readonly content: readonly ToolResultPart[] };

/** Text. */
export interface TextPart {
  readonly type: "text";
  readonly text: string;
}

/** A call that the model asked for. */
export interface ToolCallPart {
  readonly type: "tool-call";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
  readonly providerOptions?: unknown;
}

/** What a call came to. */
export interface ToolResultPart {
  readonly type: "tool-result";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly output: { readonly type: "text"; readonly value: string };
}

/** What a call of a model takes: the part of it that is the same in all three specifications. */
export interface GenerateOptions {
  readonly prompt: readonly PromptMessage[];
  readonly tools?: readonly {
    readonly type: "function";
    readonly name: string;
    readonly description: string;
    readonly inputSchema: unknown;
  }[];
  readonly toolChoice?: { readonly type: "auto" };
  readonly responseFormat?: {
    readonly type: "json";
    readonly name: string;
    readonly schema: unknown;
  };
  readonly temperature?: number;
  readonly maxOutputTokens?: number;
  readonly abortSignal?: AbortSignal;
}
