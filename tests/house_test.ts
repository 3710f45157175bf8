/**
 * Holds the house: which room imports which, by which door, without circles; and what every file keeps to.
 *
 * The rules are the data at the top. A file that breaks one is named by the failing test.
 */
import { fromFileUrl, graphOf, type SourceGraph } from "./house_graph.ts";
import { assertEquals } from "./assert.ts";

/** A room's rules: the rooms that its files may import, and its doors. */
interface Room {
  /** Rooms that its files may import, beside `base`. */
  readonly imports: readonly string[];
  /** The files by which other rooms enter; `mod.ts` where nothing is said. */
  readonly doors?: readonly string[];
}

/** Folders of the house, the longest path first where one lies in another. Root files are rooms of one file each. */
const ROOMS: Readonly<Record<string, Room>> = {
  "agents/agent": { imports: [] },
  "agents/approvals": { imports: ["agents/agent"] },
  "agents/blocks": { imports: ["agents/agent"] },
  "agents/conversation": { imports: ["agents/agent"] },
  "agents/flow": {
    imports: ["agents/agent"],
    doors: ["mod.ts"],
  },
  // A judge is a routed model call.
  "agents/guardrails": { imports: ["agents/agent", "agents/routing"] },
  "agents/instructions": {
    imports: ["agents/agent"],
    doors: ["mod.ts", "worker_renderer.ts"],
  },
  "agents/memory": { imports: ["agents/agent"] },
  "agents/policy": { imports: ["agents/agent"] },
  "agents/provenance": { imports: ["agents/agent"] },
  "agents/providers": {
    imports: ["agents/agent", "agents/routing"],
    doors: ["mod.ts", "ai_sdk.ts"],
  },
  "agents/routing": { imports: ["agents/agent"] },
  "agents/store": {
    imports: [
      "agents/agent",
      "agents/approvals",
      "agents/conversation",
      "agents/flow",
      "agents/memory",
      "agents/provenance",
      "agents/routing",
    ],
    doors: [
      "mod.ts",
      "sqlite.ts",
      "postgres.ts",
      "migrations.ts",
      "drizzle.ts",
    ],
  },
  // Everything wired together, the short way in.
  "agents/runtime": {
    imports: [
      "agents/agent",
      "agents/approvals",
      "agents/blocks",
      "agents/conversation",
      "agents/flow",
      "agents/guardrails",
      "agents/instructions",
      "agents/memory",
      "agents/policy",
      "agents/provenance",
      "agents/routing",
      "agents/store",
      "agents/tools",
      "agents/turn",
    ],
  },
  // A pack's checks are called as its tools are.
  "agents/tools": {
    imports: ["agents/agent", "agents/guardrails", "pack_service/protocol.ts"],
  },
  "agents/turn": {
    imports: [
      "agents/agent",
      "agents/approvals",
      "agents/blocks",
      "agents/conversation",
      "agents/flow",
      "agents/guardrails",
      "agents/instructions",
      "agents/memory",
      "agents/policy",
      "agents/provenance",
      "agents/routing",
      "agents/tools",
    ],
  },
  // What the agents' rooms give a host.
  "agents/mod.ts": { imports: ["agents/*"] },
  "base": { imports: [], doors: ["*"] },
  "define": { imports: [] },
  // By the files that load no validator; the loader's door would bring one.
  "define.ts": {
    imports: [
      "define",
      "agents/agent",
      "agents/flow/define_flow.ts",
      "agents/flow/types.ts",
      "agents/flow/errors.ts",
    ],
  },
  "indexer": {
    imports: ["define", "pack_service", "agents/flow", "agents/agent"],
    doors: ["mod.ts", "main.ts", "build_extensions.ts"],
  },
  "mod.ts": { imports: ["define.ts", "pack_service", "indexer", "agents/*"] },
  "pack_service": {
    imports: ["define"],
    doors: ["mod.ts", "pack_process.ts", "protocol.ts"],
  },
  // Not part of what is published; a pack's author has the define door alone.
  "examples": { imports: ["define.ts"] },
  "scripts": { imports: ["pack_service", "indexer", "agents/*", "mod.ts"] },
};

/** Files outside the house, which may look behind doors: they measure and test what is there. */
const OUTSIDE = /^(tests|bench)\//;

/** Where `Deno.*` may stand: what differs between runtimes, processes' entries, and what isn't published. */
const DENO_FILES =
  /^base\/platform(_[a-z]+)?\.ts$|(^|\/)(main|[a-z_]+_main)\.ts$|^(tests|bench|scripts)\//;

/** More files with `Deno.*`, and why. */
const MORE_DENO_FILES: Readonly<Record<string, string>> = {
  "pack_service/guard.ts": "the text of a Worker's module, an entry too",
};

/** What the define door must not load: it has to be cheap, and safe in a bundler. */
const NOT_BEHIND_DEFINE =
  /^(node|jsr|https?):|^npm:\/?(ajv|ajv-formats|liquidjs|zod)@/;

/** The most lines of a source file. */
const MAX_LINES = 300;

/** What no file may say; written so that the rules don't find themselves. */
const FORBIDDEN: readonly { readonly what: string; readonly words: RegExp }[] =
  [
    { what: "a machine's path", words: /(?<![\w.])\/(wor[k]|roo[t]|hom[e])\// },
    { what: "a registry's host", words: /npmj[s]\.org|js[r]\.io/ },
    { what: "unfinished work", words: /\b(TOD[O]|FIXM[E]|XX[X])\b/ },
  ];

const root = fromFileUrl(new URL("../", import.meta.url));
const graph: SourceGraph = await graphOf(root);

/** The room of a file, by the longest folder that holds it. */
function roomOf(path: string): string {
  const rooms = Object.keys(ROOMS)
    .filter((room) => path === room || path.startsWith(`${room}/`))
    .sort((left, right) => right.length - left.length);
  return rooms[0] ?? path.split("/").slice(0, -1).join("/");
}

function* edgesBetweenRooms(): Iterable<
  { from: string; to: string; fromRoom: string; toRoom: string }
> {
  for (const [from, { imports }] of graph.files) {
    if (OUTSIDE.test(from)) continue;
    for (const to of imports) {
      const [fromRoom, toRoom] = [roomOf(from), roomOf(to)];
      if (fromRoom !== toRoom) yield { from, to, fromRoom, toRoom };
    }
  }
}

/** Whether a list of rooms and files has a file: itself, its room, or `agents/*` for every room of agents. */
function lists(entries: readonly string[], file: string): boolean {
  const room = roomOf(file);
  return entries.some((entry) =>
    entry === file || entry === room ||
    entry === "agents/*" && room.startsWith("agents/")
  );
}

Deno.test("every source file lies in a room of the house", () => {
  const lost = [...graph.files.keys()].filter((path) =>
    !OUTSIDE.test(path) && !Object.hasOwn(ROOMS, roomOf(path))
  );
  assertEquals(lost, []);
});

Deno.test("a room imports only the rooms that its rules allow", () => {
  const broken = [...edgesBetweenRooms()]
    .filter(({ fromRoom, to, toRoom }) =>
      toRoom !== "base" && !lists(ROOMS[fromRoom]?.imports ?? [], to)
    )
    .map(({ from, to }) => `${from} → ${to}`);
  assertEquals(broken, []);
});

Deno.test("a room is entered by its doors alone", () => {
  const broken = [...edgesBetweenRooms()]
    .filter(({ fromRoom, to, toRoom }) => {
      if (to === toRoom) return false; // a root file is its own door
      if ((ROOMS[fromRoom]?.imports ?? []).includes(to)) return false;
      const doors = ROOMS[toRoom]?.doors ?? ["mod.ts"];
      return !doors.includes("*") &&
        !doors.includes(to.slice(toRoom.length + 1));
    })
    .map(({ from, to }) => `${from} → ${to}`);
  assertEquals(broken, []);
});

Deno.test("no file imports itself over others", () => {
  assertEquals(graph.circles(), []);
});

Deno.test("rooms don't import each other in a circle", () => {
  const rooms = new Map<string, Set<string>>();
  for (const { fromRoom, toRoom } of edgesBetweenRooms()) {
    rooms.set(fromRoom, (rooms.get(fromRoom) ?? new Set()).add(toRoom));
  }
  const reached = (from: string) => {
    const seen = new Set<string>();
    const next = [from];
    while (next.length > 0) {
      for (const room of rooms.get(next.pop()!) ?? []) {
        if (seen.has(room)) continue;
        seen.add(room);
        next.push(room);
      }
    }
    return seen;
  };
  assertEquals(
    [...rooms.keys()].filter((room) => reached(room).has(room)),
    [],
  );
});

Deno.test("the define door loads no validator, no template engine and no platform module", () => {
  const loaded = graph.loadedBy("define.ts");
  assertEquals(loaded.includes("define/tool.ts"), true);
  assertEquals(loaded.filter((name) => NOT_BEHIND_DEFINE.test(name)), []);
});

Deno.test("what differs between runtimes is in base/platform.ts, its parts and entries", () => {
  const broken = [...graph.files]
    .filter(([path]) =>
      !DENO_FILES.test(path) && !Object.hasOwn(MORE_DENO_FILES, path)
    )
    .filter(([, { code }]) => /\bDeno\s*(\.|\[|\?\.)|\.Deno\b/.test(code))
    .map(([path]) => path);
  assertEquals(broken, []);
});

Deno.test(`no source file is longer than ${MAX_LINES} lines`, () => {
  // A room's door only lists what leaves the room.
  const door = /(^|\/)mod\.ts$/;
  const long = [...graph.files]
    .filter(([path, { lines }]) =>
      !OUTSIDE.test(path) && !door.test(path) && lines > MAX_LINES
    )
    .map(([path, { lines }]) => `${path}: ${lines}`);
  assertEquals(long, []);
});

Deno.test("file names are snake_case", () => {
  const odd = [...graph.files.keys()].filter((path) =>
    !/^([a-z0-9_]+\/)*([a-z0-9_]+|kindgi\.config)\.ts$/.test(path)
  );
  assertEquals(odd, []);
});

Deno.test("no file names a machine's paths, a registry's host or unfinished work", async () => {
  const found: string[] = [];
  for (const path of await graph.everyFile()) {
    const text = await Deno.readTextFile(root + path);
    for (const [at, line] of text.split("\n").entries()) {
      for (const { what, words } of FORBIDDEN) {
        if (words.test(line)) found.push(`${path}:${at + 1} says ${what}`);
      }
    }
  }
  assertEquals(found, []);
});
