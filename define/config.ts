/**
 * `defineConfig`: the types of a pack's `kindgi.config.ts`.
 *
 * @module
 */

/** A pack's config. What the indexer doesn't read is kept for the tools that do. */
export interface PackConfig {
  /** Who the pack is. */
  readonly pack: {
    /** The pack's id, such as `acme.support`. */
    readonly id: string;
    /** The pack's version. */
    readonly version: string;
  };
  /** What the pack is written in; absent means `node`. */
  readonly language?: "node" | "python";
  /** Where its files are, one glob pattern a kind, from the pack's root; each has a default. */
  readonly discovery?: {
    /** Default `tools/**` with the endings ts, js and mjs. */
    readonly tools?: string;
    /** Likewise under `guardrails`. */
    readonly guardrails?: string;
    /** Likewise under `agents`. */
    readonly agents?: string;
    /** Likewise under `flows`. */
    readonly flows?: string;
  };
  /** The environment variables that its code reads. */
  readonly env?: {
    /** Without these the service isn't ready. */
    readonly required?: readonly string[];
    /** These may be unset. */
    readonly optional?: readonly string[];
  };
  /** What its image needs beside it. */
  readonly image?: object;
  /** Whatever other tools read. */
  readonly [key: string]: unknown;
}

/** Answers the config that it is given: it is there for the types. */
export function defineConfig<Config extends PackConfig>(
  config: Config,
): Config {
  return config;
}
