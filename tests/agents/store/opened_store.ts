/** How the tests of a store open one. */
import type { AgentStore } from "../../../agents/store/mod.ts";

/** A store opened for one test: empty, with a clock that can be moved on. */
export interface OpenedStore {
  /** The store. */
  readonly store: AgentStore;
  /** Lets so many milliseconds pass for the store: by moving its clock, or by waiting. */
  advance(ms: number): Promise<void>;
  /** Closes the store and removes what it left. */
  close(): Promise<void>;
}

/** Opens a store. */
export type OpenStore = () => Promise<OpenedStore>;

/** Registers one test of a store. */
export type StoreTest = (
  name: string,
  test: (store: AgentStore, opened: OpenedStore) => Promise<void>,
) => void;
