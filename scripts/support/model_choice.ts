/**
 * Which models a command line names.
 *
 * @module
 */
import { resolve } from "node:path";
import process from "node:process";

/** The variable with a model's key. */
export const MODEL_KEY_VAR = "KINDGI_MODEL_KEY";
/** The variable with a model's name. */
export const MODEL_VAR = "KINDGI_MODEL";
/** The variable with a model's server. */
export const MODEL_URL_VAR = "KINDGI_MODEL_URL";

/** The flags that name models, for `parseArgs`. */
export const MODEL_OPTIONS = {
  "model": { type: "string" },
  "model-url": { type: "string" },
  "model-key-env": { type: "string" },
  "providers": { type: "string" },
} as const;

/** The lines about models in a command's help. */
export const MODEL_HELP =
  `  --model NAME        a model of a server that speaks the OpenAI-compatible protocol (default: ${MODEL_VAR})
  --model-url URL     that server, such as http://127.0.0.1:11434/v1 (default: ${MODEL_URL_VAR})
  --model-key-env VAR the environment variable that holds its key (default: ${MODEL_KEY_VAR}; none is fine)
  --providers FILE    instead: a module whose default export is a model provider, or a list of them`;

/** Which models. */
export type ModelChoice =
  | {
    /** No model: a script that calls tools when it is told to. */
    readonly kind: "scripted";
  }
  | {
    /** One model of a server. */
    readonly kind: "server";
    /** Its name there. */
    readonly name: string;
    /** The server. */
    readonly url: string;
    /** The variable with the key. */
    readonly keyVariable: string;
  }
  | {
    /** Whatever a module gives. */
    readonly kind: "module";
    /** Its absolute path. */
    readonly path: string;
  };

/** Reads the flags; paths are meant from `folder`. A text says what is wrong. */
export function readModelChoice(
  values: { readonly [Name in keyof typeof MODEL_OPTIONS]?: string },
  folder: string,
): ModelChoice | string {
  const { providers } = values;
  const given = values.model ?? values["model-url"] ?? values["model-key-env"];
  if (providers !== undefined) {
    return given === undefined
      ? { kind: "module", path: resolve(folder, providers) }
      : "give either --providers or --model";
  }
  const name = values.model ?? (process.env[MODEL_VAR] || undefined);
  if (name === undefined || name === "scripted") {
    return given === undefined || given === "scripted"
      ? { kind: "scripted" }
      : "name the model with --model";
  }
  const url = values["model-url"] ?? (process.env[MODEL_URL_VAR] || undefined);
  if (url === undefined) {
    return `name the server of model ${name} with --model-url, such as http://127.0.0.1:11434/v1`;
  }
  if (!URL.canParse(url) || !/^https?:/.test(url)) {
    return `--model-url ${
      JSON.stringify(url)
    } is no URL that begins http:// or https://`;
  }
  const keyVariable = values["model-key-env"] ?? MODEL_KEY_VAR;
  if (values["model-key-env"] !== undefined && !process.env[keyVariable]) {
    return `--model-key-env names ${keyVariable}, which isn't set`;
  }
  return { kind: "server", name, url, keyVariable };
}

/** The models for people. */
export function shownModel(choice: ModelChoice): string {
  switch (choice.kind) {
    case "scripted":
      return "no model: a script answers, and calls a tool when you type TOOL {its: input}";
    case "server":
      return `${choice.name} at ${new URL(choice.url).host}`;
    case "module":
      return `the providers of ${choice.path}`;
  }
}
