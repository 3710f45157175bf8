/** Definitions that the tests of agents start from. */
import {
  type Agent,
  defineAgent,
  type DefineAgentSpec,
  type InvalidAgentError,
  type ModelInfo,
  type ModelProvider,
  type ProviderMetadata,
  type Result,
  type Tool,
} from "../../agents/mod.ts";
import { errValue, okValue } from "../assert.ts";

/** The smallest agent; functions, so that no test can spoil it for another. */
export function basicSpec(): DefineAgentSpec {
  return {
    id: "acme.citer",
    version: "1.0.0",
    name: "Citer",
    instructions: "Answer.",
    capabilities: [{ needs: [{ feature: "tool-use" }] }],
    tools: [],
    retrieval: [],
    guardrails: [],
  };
}

/** Defines the smallest agent with other fields, whatever their types. */
export function define(
  fields: Readonly<Record<string, unknown>> = {},
): Result<Agent, InvalidAgentError> {
  return defineAgent({ ...basicSpec(), ...fields } as DefineAgentSpec);
}

/** The agent that these fields define. */
export function agentWith(
  fields: Readonly<Record<string, unknown>> = {},
): Agent {
  return okValue(define(fields));
}

/** The paths of the issues of a definition that is refused. */
export function pathsOf(fields: Readonly<Record<string, unknown>>): string[] {
  return errValue(define(fields)).issues.map(({ path }) => path);
}

/** The places of issues. */
export function places(issues: readonly { path: string }[]): string[] {
  return issues.map(({ path }) => path);
}

/** A provider with one model, `<id>/m`. */
export function provider(
  id: string,
  model: Partial<ModelInfo> = {},
  metadata: Partial<ProviderMetadata> = {},
): ModelProvider {
  return {
    metadata: {
      id,
      region: "us-east-1",
      models: [modelInfo(`${id}/m`, model)],
      ...metadata,
    },
    invoke: () => Promise.reject(new Error("not called in these tests")),
  };
}

/** A model that can use tools. */
export function modelInfo(
  name: string,
  over: Partial<ModelInfo> = {},
): ModelInfo {
  return {
    name,
    contextWindow: 128_000,
    features: ["tool-use"],
    cost: {
      promptUsdPer1kTokens: 0.003,
      completionUsdPer1kTokens: 0.015,
    },
    ...over,
  };
}

/** A tool that answers its input. */
export function tool(
  id: string,
  version: string,
  over: Partial<Tool> = {},
): Tool {
  return {
    id,
    version,
    description: "Answers its input",
    input: { type: "object" },
    output: {},
    handler: (input) => input,
    ...over,
  };
}
