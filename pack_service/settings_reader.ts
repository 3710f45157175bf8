/**
 * Reading settings from environment variables, collecting every problem.
 *
 * @module
 */
import type { Result } from "../base/result.ts";
import type { Environment } from "./pack_env.ts";

/** Reads variables one by one, noting what is wrong; what it answers then is never used. */
export class SettingsReader {
  readonly #env: Environment;
  readonly #problems: string[];

  /** Reads from `env` and adds to `problems`. */
  constructor(env: Environment, problems: string[]) {
    this.#env = env;
    this.#problems = problems;
  }

  /** The variable's value; undefined when it is unset or empty. */
  text(name: string): string | undefined {
    return this.#env[name] || undefined;
  }

  /** A whole number in a range, both ends included; the fallback when unset. */
  integer(
    name: string,
    fallback: number,
    least: number,
    most = Number.MAX_SAFE_INTEGER,
  ): number {
    const raw = this.text(name);
    if (raw === undefined) return fallback;
    const value = Number(raw);
    if (/^[0-9]+$/.test(raw) && value >= least && value <= most) return value;
    const range = most === Number.MAX_SAFE_INTEGER
      ? `of at least ${least}`
      : `from ${least} to ${most}`;
    this.#problems.push(
      `${name} must be a whole number ${range}, got ${JSON.stringify(raw)}`,
    );
    return fallback;
  }

  /** One of the choices, the first when unset. */
  choice<Choice extends string>(
    name: string,
    choices: readonly [Choice, ...Choice[]],
  ): Choice {
    const raw = this.text(name);
    const choice = choices.find((known) => known === (raw ?? choices[0]));
    if (choice !== undefined) return choice;
    this.#problems.push(
      `${name} must be one of ${choices.join(", ")}, got ${
        JSON.stringify(raw)
      }`,
    );
    return choices[0];
  }

  /** What `parse` makes of the variable. */
  parsed<Value>(
    name: string,
    parse: (
      raw: string | undefined,
    ) => Result<Value, { readonly message: string }>,
  ): Value {
    const result = parse(this.text(name));
    if (result.kind === "ok") return result.value;
    this.#problems.push(result.error.message);
    return (parse(undefined) as { readonly value: Value }).value;
  }
}
