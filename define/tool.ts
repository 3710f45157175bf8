/**
 * `defineTool`: an author's tool becomes a checked definition, or everything that is wrong with it.
 *
 * @module
 */
import { err, ok, type Result } from "../base/result.ts";
import { readAuthorSchema } from "./author_schema.ts";
import { type DefinitionIssue, issueText } from "./issues.ts";
import {
  effectIssues,
  needsSchemaIssues,
  toolManifestIssues,
} from "./tool_manifest.ts";
import type {
  JsonSchema,
  LimitsDeclaration,
  NetworkDeclaration,
  SchemaLike,
  SchemaOf,
  ToolContext,
  ToolEffect,
  ToolNeeds,
} from "./types.ts";

/** What a tool says about itself, apart from its schemas and what it does. */
export interface ToolManifest {
  /** The tool's id, such as `acme.orders.lookup`. */
  readonly id: string;
  /** Its exact version. */
  readonly version: string;
  /** What it does, for the model that chooses it. */
  readonly description: string;
  /** Whether it changes anything; absent means that it does. */
  readonly mutating?: boolean;
  /** What it does to the world. */
  readonly effects?: readonly ToolEffect[];
  /** What it needs, by name. */
  readonly needs?: readonly unknown[];
  /** Schemas of the secrets and variables that it needs. */
  readonly needsSpec?: ToolNeeds;
  /** How it is reached, where not through the pack's own service. */
  readonly transport?: string;
  /** Where it is reached over MCP. */
  readonly mcpEndpoint?: string;
  /** `strict`: a process of its own with only what it declares; `context-isolated`: one of its own; absent: shared. */
  readonly sandbox?: string;
  /** How much a call may use. */
  readonly limits?: LimitsDeclaration;
  /** What it may reach over the network. */
  readonly network?: NetworkDeclaration;
  /** Anything, for people and other tools. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** A reference to the built code. */
  readonly codeArtifactRef?: string;
}

/** What an author gives to {@link defineTool}: a manifest, two schemas, and either a handler or a declaration. */
export interface ToolSpec<Input, Output> extends ToolManifest {
  /** The schema of the input; a Zod schema also parses it before the handler gets it. */
  readonly input: SchemaOf<Input>;
  /** The schema of what the handler returns. */
  readonly output: SchemaOf<Output>;
  /** Does the work. */
  readonly handler?: (
    input: Input,
    ctx: ToolContext,
  ) => NoInfer<Output> | Promise<NoInfer<Output>>;
  /** Declares the work instead, for a runtime to carry out. */
  readonly spec?: Readonly<Record<string, unknown>>;
}

/** A checked tool: what a module under `tools/` exports as its default, and what an agent's host registers. */
export interface DefinedTool<Input = unknown, Output = unknown>
  extends ToolManifest {
  /**
   * JSON Schema of the input. The one exception is a Zod that can't convert its own schemas (before 4.2, and Zod Mini):
   * there it is the Zod schema itself, which the indexer converts.
   */
  readonly input: JsonSchema;
  /** JSON Schema of the output; the exception is that of `input`. */
  readonly output: JsonSchema;
  /** The Zod schema that `input` was made from. */
  readonly inputZod?: SchemaLike<Input>;
  /** The Zod schema that `output` was made from. */
  readonly outputZod?: SchemaLike<Output>;
  /** The declaration of a declarative tool. */
  readonly spec?: Readonly<Record<string, unknown>>;
  /** Does the work; of a declarative tool it throws, since a runtime does it. */
  handler(input: Input, ctx: ToolContext): Output | Promise<Output>;
}

/** Why a tool can't be defined. */
export interface ToolDefinitionError {
  /**
   * `invalid-tool-definition`: the manifest is wrong; `unknown-effect`: an effect has a kind that isn't known;
   * `invalid-schema`: a schema can't be used.
   */
  readonly code:
    | "invalid-tool-definition"
    | "unknown-effect"
    | "invalid-schema";
  /** What is wrong, for people, with the tool's id. */
  readonly message: string;
  /** Everything that is wrong, with its place. */
  readonly issues: readonly DefinitionIssue[];
}

/**
 * Defines a tool.
 *
 * Needs an exact `version`, a schema for input and output, and exactly one of `handler` and `spec`. Zod schemas are
 * converted by the author's own Zod and kept beside as `inputZod` and `outputZod`. Unknown keys are refused. That schemas
 * compile is checked where a host is loaded (the indexer and the pack service are). Never throws
 * (`spec/handler_runtime.md` 9).
 *
 * @example
 * ```ts
 * import { defineTool } from "@kindgi-deno/runtime/define";
 *
 * export default defineTool({
 *   id: "acme.greet",
 *   version: "1.0.0",
 *   description: "Greets someone by name",
 *   input: {
 *     type: "object",
 *     properties: { name: { type: "string" } },
 *     required: ["name"],
 *   },
 *   output: { type: "string" },
 *   handler: (input: { name: string }) => `Hello, ${input.name}!`,
 * });
 * ```
 */
export function defineTool<Input = unknown, Output = unknown>(
  spec: ToolSpec<Input, Output>,
): Result<DefinedTool<Input, Output>, ToolDefinitionError> {
  const manifest = toolManifestIssues(spec);
  if (manifest.length > 0) {
    return refused(spec, "invalid-tool-definition", manifest);
  }
  const effects = effectIssues(spec.effects);
  if (effects.length > 0) return refused(spec, "unknown-effect", effects);

  const input = readAuthorSchema(spec.input, "input");
  const output = readAuthorSchema(spec.output, "output");
  const schemas = needsSchemaIssues(spec.needsSpec);
  if (output.kind === "err") {
    schemas.unshift({ path: "/output", message: output.error });
  }
  if (input.kind === "err") {
    schemas.unshift({ path: "/input", message: input.error });
  }
  if (input.kind === "err" || output.kind === "err" || schemas.length > 0) {
    return refused(spec, "invalid-schema", schemas);
  }

  const { input: givenInput, output: givenOutput, handler, ...rest } = spec;
  const { json: inputJson, zod: inputZod } = input.value;
  const { json: outputJson, zod: outputZod } = output.value;
  return ok({
    ...withoutUndefined(rest),
    input: inputJson ?? givenInput as JsonSchema,
    output: outputJson ?? givenOutput as JsonSchema,
    ...(inputZod && { inputZod: givenInput as SchemaLike<Input> }),
    ...(outputZod && { outputZod: givenOutput as SchemaLike<Output> }),
    handler: handler ?? declaredElsewhere(spec.id),
  });
}

/** The handler of a declarative tool: it is there so that the tool is told from other exports by its shape. */
function declaredElsewhere(id: string): () => never {
  return () => {
    throw new Error(
      `Cannot run the tool "${id}" here: it is declared by its \`spec\`, which the runtime carries out itself`,
    );
  };
}

function refused(
  spec: unknown,
  code: ToolDefinitionError["code"],
  issues: readonly DefinitionIssue[],
): Result<never, ToolDefinitionError> {
  const id = (spec as { id?: unknown } | null | undefined)?.id;
  const named = typeof id === "string"
    ? `the tool ${JSON.stringify(id)}`
    : "a tool";
  return err({
    code,
    message: `Cannot define ${named}: ${issueText(issues)}`,
    issues,
  });
}

/** A copy without the keys that are undefined: an absent field stays absent. */
function withoutUndefined<T extends object>(given: T): T {
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  ) as T;
}
