/** A store that dies: from a certain call on everything throws, as in a process that was killed there. */
import type { AgentStore } from "../../../agents/store/mod.ts";

/** Where a store dies. */
export interface StoreCut {
  /** At which call, from 1. */
  readonly at: number;
  /** Whether that call is carried out, its answer being lost. */
  readonly after: boolean;
}

/** A store over another one, and what was asked of it. */
export interface CutStore<Store extends AgentStore> {
  /** The store. */
  readonly store: Store;
  /** The calls so far, as `part.method`. */
  readonly calls: string[];
}

const PARTS = [
  "conversations",
  "snapshots",
  "memory",
  "journal",
  "approvals",
  "provenance",
  "usage",
] as const;

/** Puts a store over another one that dies at a call; without a cut it only counts. */
export function cutStore<Store extends AgentStore>(
  store: Store,
  cut?: StoreCut,
): CutStore<Store> {
  const calls: string[] = [];
  const dead = () => cut !== undefined && calls.length >= cut.at;
  const parts: Record<string, object> = {};
  for (const part of PARTS) {
    parts[part] = new Proxy(store[part], {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        if (name === "keepsUsageOf") {
          return (sink: unknown) => sink === parts.usage;
        }
        return async (...parameters: unknown[]) => {
          if (dead()) throw new Error("the store is gone");
          calls.push(`${part}.${String(name)}`);
          if (dead() && !cut!.after) throw new Error("the store is gone");
          const answer = await member.apply(target, parameters);
          if (dead()) throw new Error("the answer was lost");
          return answer;
        };
      },
    });
  }
  return { store: { ...store, ...parts }, calls };
}
