import {
  createEmbeddingProviderRegistry,
  type EmbeddingProvider,
} from "../../../agents/mod.ts";
import { assert, assertEquals, errValue, okValue } from "../../assert.ts";

function embedding(model: string): EmbeddingProvider {
  return {
    embed: () => Promise.resolve(new Float32Array(2)),
    dimensions: () => 2,
    describe: () => ({ name: "test", version: "1.0.0", model }),
  };
}

Deno.test("embedding providers are found by model, and the sole one is the default", () => {
  const registry = createEmbeddingProviderRegistry();
  assertEquals(errValue(registry.resolve()).code, "no-embedding-provider");
  assertEquals(errValue(registry.resolve("a")).code, "no-embedding-provider");

  const a = embedding("a");
  okValue(registry.register(a));
  assertEquals(registry.size, 1);
  assert(okValue(registry.resolve()) === a);
  assert(okValue(registry.resolve("a")) === a);
  assert(registry.getByModel("a") === a);
  assert(registry.has("a") && !registry.has("b"));

  const unknown = errValue(registry.resolve("b"));
  assert(unknown.code === "unknown-embedding-model");
  assertEquals(unknown.model, "b");
  assertEquals(unknown.availableModels, ["a"]);
});

Deno.test("with several embedding providers one has to be named", () => {
  const registry = createEmbeddingProviderRegistry();
  const [a, b] = [embedding("a"), embedding("b")];
  okValue(registry.register(a));
  okValue(registry.register(b));
  const error = errValue(registry.resolve());
  assert(error.code === "ambiguous-default-provider");
  assertEquals(error.availableModels, ["a", "b"]);
  assert(okValue(registry.resolve("b")) === b);
  assertEquals(registry.list(), [a, b]);
});

Deno.test("a model has one embedding provider", () => {
  const registry = createEmbeddingProviderRegistry();
  okValue(registry.register(embedding("a")));
  const error = errValue(registry.register(embedding("a")));
  assertEquals(error.code, "duplicate-embedding-model");
  assertEquals(error.model, "a");
  assertEquals(registry.size, 1);
});
