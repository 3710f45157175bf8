/**
 * Everything that a turn's agent names, resolved for its tenant: guardrails, tools, blocks, policies, a model
 * (`spec/agents_turn.md` 3.1). The order decides which error wins.
 *
 * @module
 */

import { err, ok, type Result } from "../../base/result.ts";
import { reasonOf } from "../agent/mod.ts";
import { type Guardrail, resolveGuardrails } from "../guardrails/mod.ts";
import {
  type EffectiveHitlPolicy,
  evaluateTenantPolicy,
  resolveEffectiveHitlPolicy,
  resolveEffectiveToolErrors,
} from "../policy/mod.ts";
import {
  mergeTenantPolicies,
  type ModelInfo,
  type ModelProvider,
  type ModelToolDefinition,
  route,
  type TenantPolicy,
} from "../routing/mod.ts";
import type { FailedCallPolicy } from "../tools/mod.ts";
import type { InvokeAgentBindings } from "./bindings.ts";
import type { InvokeAgentError } from "./errors.ts";
import { resolveBlocks, type TurnBlocks } from "./resolve_blocks.ts";
import { resolveTools, type TurnTool } from "./resolve_tools.ts";
import type { SetupOutput } from "./step_outputs.ts";
import type { TurnInput } from "./turn_input.ts";

/** Everything that a turn's agent names, resolved. */
export interface TurnEnvironment {
  /** When people are asked. */
  readonly hitl: EffectiveHitlPolicy;
  /** The agent's guardrails, in its order. */
  readonly guardrails: readonly Guardrail[];
  /** Its tools, by the name that the model calls. */
  readonly tools: ReadonlyMap<string, TurnTool>;
  /** The same as the model is shown them. */
  readonly toolDefinitions: readonly ModelToolDefinition[];
  /** Its data blocks. */
  readonly blocks: TurnBlocks;
  /** The merged bounds on models. */
  readonly tenantPolicy: TenantPolicy | undefined;
  /** Which failed tool calls go back to the model. */
  readonly toolErrors: FailedCallPolicy;
  /** The provider. */
  readonly provider: ModelProvider;
  /** Its model. */
  readonly model: ModelInfo;
  /** Whether only a fallback provider fitted. */
  readonly fallback: boolean;
}

/** When people are asked in a turn: the agent's policy held to the tenant's. */
export async function resolveHitl(
  { tenantId, agent }: TurnInput,
  { policyRegistry }: InvokeAgentBindings,
): Promise<Result<EffectiveHitlPolicy, InvokeAgentError>> {
  const tenant = await evaluateTenantPolicy(policyRegistry, "hitl", {
    tenantId,
  });
  return tenant.kind === "err"
    ? tenant
    : ok(resolveEffectiveHitlPolicy({ tenant: tenant.value, agent }));
}

/**
 * Resolves the rest.
 *
 * @param pins For a resumed turn: what its setup settled; versions and model stay the same.
 */
export async function resolveEnvironment(
  input: TurnInput,
  bindings: InvokeAgentBindings,
  hitl: EffectiveHitlPolicy,
  pins?: SetupOutput,
): Promise<Result<TurnEnvironment, InvokeAgentError>> {
  const { tenantId, agent } = input;
  const { policyRegistry } = bindings;
  const guardrails = resolveGuardrails(agent.guardrails, bindings.guardrails);
  if (guardrails.kind === "err") return guardrails;
  const registry = bindings.toolRegistry.forTenant(tenantId);
  const tools = resolveTools(agent, registry, pins?.toolVersions);
  if (tools.kind === "err") return tools;
  const blocks = await resolveBlocks(
    tenantId,
    agent,
    bindings.blockReader,
    pins?.blockVersions,
  );
  if (blocks.kind === "err") return blocks;
  const [capability] = agent.capabilities;
  if (capability === undefined) {
    return err({
      code: "capability-routing-failed",
      message:
        `Cannot route agent ${agent.id}: it declares no capability; give it one such as { needs: [] }`,
      cause: null,
    });
  }
  const routing = await evaluateTenantPolicy(policyRegistry, "model-routing", {
    tenantId,
  });
  if (routing.kind === "err") return routing;
  const toolErrors = await evaluateTenantPolicy(policyRegistry, "tool-errors", {
    tenantId,
  });
  if (toolErrors.kind === "err") return toolErrors;
  const tenantPolicy = mergeTenantPolicies(
    bindings.tenantPolicy,
    routing.value === undefined ? undefined : { ...routing.value, tenantId },
  );
  const providers = await tenantProviders(input, bindings);
  if (providers.kind === "err") return providers;
  const routed = route({
    capability,
    providers: pins === undefined
      ? providers.value
      : pinnedPair(providers.value, pins),
    tenantPolicy,
    preferredProvider: agent.preferredProvider,
    preferredModel: agent.preferredModel,
  });
  if (routed.kind === "err") {
    const { message } = routed.error;
    return err({
      code: "capability-routing-failed",
      message: pins === undefined
        ? message
        : `The turn began with ${pins.providerId}/${pins.providerModel}, which can't be used any more. ${message}`,
      cause: routed.error,
    });
  }
  const { model, fallback } = routed.value;
  const provider = providers.value.find(({ metadata }) =>
    metadata.id === routed.value.provider.metadata.id
  )!;
  return ok({
    hitl,
    guardrails: guardrails.value,
    tools: tools.value,
    toolDefinitions: [...tools.value.values()].map(({ tool }) => ({
      name: tool.id,
      description: tool.description,
      inputSchema: tool.input,
    })),
    blocks: blocks.value,
    tenantPolicy,
    toolErrors: resolveEffectiveToolErrors({
      tenant: toolErrors.value,
      agent,
    }),
    provider,
    model,
    fallback,
  });
}

async function tenantProviders(
  { tenantId }: TurnInput,
  { providerRegistry }: InvokeAgentBindings,
): Promise<Result<readonly ModelProvider[], InvokeAgentError>> {
  try {
    await providerRegistry.hydrate?.(tenantId);
    return ok(providerRegistry.list(tenantId));
  } catch (thrown) {
    return err({
      code: "capability-routing-failed",
      message: `Cannot load the tenant's model providers: ${reasonOf(thrown)}`,
      cause: thrown,
    });
  }
}

/** The pair that a turn began with, as the only one to route over. */
function pinnedPair(
  providers: readonly ModelProvider[],
  { providerId, providerModel }: SetupOutput,
): ModelProvider[] {
  return providers.flatMap((provider) => {
    const { metadata } = provider;
    const models = metadata.models.filter(({ name }) => name === providerModel);
    if (metadata.id !== providerId || models.length === 0) return [];
    const { defaultModel: _, ...kept } = metadata;
    return [{
      metadata: { ...kept, models },
      invoke: (call) => provider.invoke(call),
    }];
  });
}
