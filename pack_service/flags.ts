/**
 * The pack service's command line, before its values mean anything.
 *
 * @module
 */
import { parseArgs } from "node:util";

/** The flags as given. */
export interface FlagValues {
  /** `--index`. */
  readonly index?: string;
  /** `--module-root`. */
  readonly moduleRoot?: string;
  /** `--bundle-map`. */
  readonly bundleMap?: string;
  /** `--host`. */
  readonly host?: string;
  /** Every `--grant`, in order. */
  readonly grants: readonly string[];
  /** `--inspect`: true without a place. */
  readonly inspect?: string | true;
  /** `--print-permissions`. */
  readonly printPermissions: boolean;
  /** `--help`. */
  readonly help: boolean;
  /** `--version`. */
  readonly version: boolean;
  /** Unknown arguments, flags without their value and values without a place, in the order of the line. */
  readonly problems: readonly string[];
}

const OPTIONS = {
  "index": { type: "string" },
  "module-root": { type: "string" },
  "bundle-map": { type: "string" },
  "host": { type: "string" },
  "grant": { type: "string", multiple: true },
  "inspect": { type: "boolean" },
  "print-permissions": { type: "boolean" },
  "help": { type: "boolean", short: "h" },
  "version": { type: "boolean", short: "v" },
} as const;

/**
 * Reads the command line, left to right; of a flag that comes twice the last one counts, `--grant` apart.
 *
 * A flag's value is the next word whatever it looks like, or what follows its `=`.
 */
export function readFlags(argv: readonly string[]): FlagValues {
  const { tokens } = parseArgs({
    args: [...argv],
    options: OPTIONS,
    strict: false,
    tokens: true,
  });
  const values: Record<string, string> = {};
  const grants: string[] = [];
  const set = new Set<string>();
  const problems: string[] = [];
  let inspect: string | true | undefined;

  for (const token of tokens) {
    if (token.kind === "positional") {
      problems.push(`unknown argument ${JSON.stringify(token.value)}`);
      continue;
    }
    if (token.kind === "option-terminator") continue;
    const { name, rawName, value } = token;
    if (!Object.hasOwn(OPTIONS, name)) {
      problems.push(`unknown argument ${JSON.stringify(rawName)}`);
    } else if (OPTIONS[name as keyof typeof OPTIONS].type === "string") {
      if (value === undefined) problems.push(`${rawName} needs a value`);
      else if (name === "grant") grants.push(value);
      else values[name] = value;
    } else if (name === "inspect") {
      inspect = value ?? true;
    } else if (value !== undefined) {
      problems.push(`${rawName} takes no value`);
    } else set.add(name);
  }

  return {
    ...(values.index === undefined ? {} : { index: values.index }),
    ...(values["module-root"] === undefined
      ? {}
      : { moduleRoot: values["module-root"] }),
    ...(values["bundle-map"] === undefined
      ? {}
      : { bundleMap: values["bundle-map"] }),
    ...(values.host === undefined ? {} : { host: values.host }),
    grants,
    ...(inspect === undefined ? {} : { inspect }),
    printPermissions: set.has("print-permissions"),
    help: set.has("help"),
    version: set.has("version"),
    problems,
  };
}
