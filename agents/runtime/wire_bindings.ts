/**
 * From what a host gives to what a turn works with.
 *
 * @module
 */

import { createBlockRegistry } from "../blocks/mod.ts";
import { createRunBinding } from "../flow/mod.ts";
import {
  createCheckRegistry,
  createGuardrailRegistry,
} from "../guardrails/mod.ts";
import type { TemplateRenderer } from "../instructions/mod.ts";
import { createPolicyRegistry } from "../policy/mod.ts";
import { createProvenanceBuilder } from "../provenance/mod.ts";
import { createToolRegistry } from "../tools/mod.ts";
import type { InvokeAgentBindings } from "../turn/mod.ts";
import { providersForAll } from "./providers_for_all.ts";
import type { OpenAgentRuntimeInput } from "./types.ts";

/** Bindings with a run binding. */
export type RuntimeBindings =
  & InvokeAgentBindings
  & Required<Pick<InvokeAgentBindings, "runBinding">>;

/**
 * Wires a runtime's bindings.
 *
 * @throws {TypeError} If a list holds something twice, or what isn't what it should be.
 */
export function wireBindings(
  input: OpenAgentRuntimeInput,
  templateRenderer: TemplateRenderer | undefined,
): RuntimeBindings {
  const { store, keyProvider, authorize, embeddings, onEvent, log } = input;
  const { leaseMs, blocks, hitl = store.approvals } = input;
  const { maxToolResultBytes } = input;
  const { providers, tools = [], guardrails = [] } = input;
  return {
    providerRegistry: isList(providers)
      ? providersForAll(providers)
      : providers,
    toolRegistry: isList(tools) ? createToolRegistry(tools) : tools,
    memoryBinding: store.memory,
    conversationBinding: store.conversations,
    runSnapshotBinding: store.snapshots,
    runBinding: createRunBinding({
      journal: store.journal,
      ...(authorize === undefined ? {} : { authorize }),
      ...(leaseMs === undefined ? {} : { leaseMs }),
    }),
    policyRegistry: policyRegistry(input.policies ?? []),
    guardrails: isList(guardrails)
      ? createGuardrailRegistry(guardrails)
      : guardrails,
    checks: checkRegistry(input.checks ?? []),
    usage: store.usage,
    provenance: {
      newBuilder: createProvenanceBuilder,
      emit: true,
      emitBinding: store.provenance,
      ...(keyProvider === undefined ? {} : { keyProvider }),
    },
    ...(hitl === "none" ? {} : { hitl }),
    ...(blocks === undefined
      ? {}
      : { blockReader: isList(blocks) ? createBlockRegistry(blocks) : blocks }),
    ...(embeddings === undefined ? {} : { embeddingRegistry: embeddings }),
    ...(templateRenderer === undefined ? {} : { templateRenderer }),
    ...(onEvent === undefined ? {} : { onEvent }),
    ...(log === undefined ? {} : { log }),
    ...(maxToolResultBytes === undefined ? {} : { maxToolResultBytes }),
  };
}

/** Whether it is a list rather than a registry. */
export function isList<Item, Other>(
  given: readonly Item[] | Other,
): given is readonly Item[] {
  return Array.isArray(given);
}

function policyRegistry(
  policies: NonNullable<OpenAgentRuntimeInput["policies"]>,
): NonNullable<InvokeAgentBindings["policyRegistry"]> {
  if (!isList(policies)) return policies;
  const registry = createPolicyRegistry();
  for (const executor of policies) {
    const bound = registry.register(executor);
    if (bound.kind === "err") throw new TypeError(bound.error.message);
  }
  return registry;
}

function checkRegistry(
  checks: NonNullable<OpenAgentRuntimeInput["checks"]>,
): NonNullable<InvokeAgentBindings["checks"]> {
  if (!isList(checks)) return checks;
  const registry = createCheckRegistry();
  for (const check of checks) {
    const added = registry.register(check);
    if (added.kind === "err") throw new TypeError(added.error.message);
  }
  return registry;
}
