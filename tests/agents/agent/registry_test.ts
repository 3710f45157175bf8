import { type Agent, createAgentRegistry } from "../../../agents/mod.ts";
import { assert, assertEquals, errValue, okValue } from "../../assert.ts";
import { agentWith } from "../examples.ts";

const ID = "acme.citer";

function at(version: string, id = ID): Agent {
  return agentWith({ id, version });
}

Deno.test("[87] the highest version is the latest, and versions are listed lowest first", () => {
  const registry = createAgentRegistry();
  for (const version of ["1.0.0", "2.0.0", "1.5.0"]) {
    okValue(registry.register(at(version)));
  }
  assertEquals<string>(okValue(registry.get(ID)).version, "2.0.0");
  assertEquals<string>(okValue(registry.getLatest(ID)).version, "2.0.0");
  assertEquals<string[]>(registry.listVersions(ID), [
    "1.0.0",
    "1.5.0",
    "2.0.0",
  ]);
  assertEquals<string[]>(registry.list().map(({ version }) => version), [
    "1.0.0",
    "2.0.0",
    "1.5.0",
  ]);
});

Deno.test("[88] a version is registered once", () => {
  const registry = createAgentRegistry([at("1.0.0")]);
  const error = errValue(registry.register(at("1.0.0")));
  assertEquals(error.code, "agent-already-registered");
  assertEquals<string>(error.agentId, ID);
  assertEquals<string>(error.version, "1.0.0");
});

Deno.test("[89] an unknown agent, and an unknown version of a known one, are told apart by the version key", () => {
  const registry = createAgentRegistry([at("1.0.0")]);
  const unknown = errValue(registry.get("none"));
  assertEquals(unknown.code, "agent-not-found");
  assertEquals<string>(unknown.agentId, "none");
  assert(!("version" in unknown));
  assert(!("version" in errValue(registry.getLatest("none"))));
  for (
    const answer of [
      registry.get(ID, "9.9.9"),
      registry.unregister(ID, "9.9.9"),
    ]
  ) {
    const error = errValue(answer);
    assertEquals(error.code, "agent-not-found");
    assertEquals<string | undefined>(error.version, "9.9.9");
  }
});

Deno.test("[90] a release outranks its prereleases, and can be taken out and put back", () => {
  const registry = createAgentRegistry([at("1.0.0-rc.1"), at("1.0.0")]);
  assertEquals<string>(okValue(registry.getLatest(ID)).version, "1.0.0");
  okValue(registry.unregister(ID, "1.0.0"));
  assertEquals<string>(okValue(registry.getLatest(ID)).version, "1.0.0-rc.1");
  okValue(registry.register(at("1.0.0")));
  assertEquals<string>(okValue(registry.getLatest(ID)).version, "1.0.0");
});

Deno.test("prereleases are ordered as semver orders them, and a higher one outranks lower releases", () => {
  const registry = createAgentRegistry(
    ["1.0.0-rc.10", "1.0.0-rc.2", "0.9.0", "1.0.0-a-b-10", "01.0.0-rc.3"]
      .map((version) => at(version)),
  );
  assertEquals<string[]>(registry.listVersions(ID), [
    "0.9.0",
    "1.0.0-a-b-10",
    "1.0.0-rc.2",
    "01.0.0-rc.3",
    "1.0.0-rc.10",
  ]);
});

Deno.test("[92] a registry starts with its seed, and lists nothing of the unknown", () => {
  const registry = createAgentRegistry([
    at("1.0.0"),
    at("1.0.0", "acme.other"),
  ]);
  assertEquals(registry.list().length, 2);
  assertEquals(registry.listVersions("none"), []);
});

Deno.test("of a seed with duplicates the last is kept, and the object given is the one answered", () => {
  const first = at("1.0.0");
  const last = { ...first, name: "Second" };
  const registry = createAgentRegistry([first, last]);
  assert(okValue(registry.get(ID, "1.0.0")) === last);
  assertEquals(registry.list().length, 1);
});
