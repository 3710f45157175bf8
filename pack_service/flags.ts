/**
 * The pack service's command line, before its values mean anything.
 *
 * @module
 */

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

/** What a flag takes: a value, one if it has a `=`, or none. */
type FlagKind = "value" | "optional" | "switch";

const FLAGS: Readonly<Record<string, FlagKind>> = {
  "--index": "value",
  "--module-root": "value",
  "--bundle-map": "value",
  "--host": "value",
  "--grant": "value",
  "--inspect": "optional",
  "--print-permissions": "switch",
  "--help": "switch",
  "--version": "switch",
};

const SHORT: Readonly<Record<string, string>> = {
  "-h": "--help",
  "-v": "--version",
};

/** One flag of the line. */
interface GivenFlag {
  /** As it stands there, without a value. */
  readonly raw: string;
  /** The flag's long name. */
  readonly flag: string;
  /** What follows its `=`. */
  readonly value: string | undefined;
}

/** A word's flags: `--flag`, `--flag=value`, `-h` or several letters after one dash; none for any other word. */
function flagsOf(word: string): readonly GivenFlag[] {
  if (!/^-./s.test(word)) return [];
  if (!word.startsWith("--")) {
    return [...word.slice(1)].map((letter) => {
      const raw = `-${letter}`;
      return { raw, flag: SHORT[raw] ?? raw, value: undefined };
    });
  }
  const end = word.indexOf("=", 3);
  if (end === -1) return [{ raw: word, flag: word, value: undefined }];
  const raw = word.slice(0, end);
  return [{ raw, flag: raw, value: word.slice(end + 1) }];
}

/**
 * Reads the command line, left to right; of a flag that comes twice the last one counts, `--grant` apart.
 *
 * A flag's value is the next word whatever it looks like, or what follows its `=`. Node's parser, which does this too, would
 * bring a quarter of the front's time to start with it: on Deno it is the first thing that needs anything of Node's.
 */
export function readFlags(argv: readonly string[]): FlagValues {
  const values: Record<string, string> = {};
  const grants: string[] = [];
  const set = new Set<string>();
  const problems: string[] = [];
  let inspect: string | true | undefined;

  const unknown = (word: string): void => {
    problems.push(`unknown argument ${JSON.stringify(word)}`);
  };
  const take = ({ raw, flag, value }: GivenFlag): void => {
    switch (FLAGS[flag]) {
      case undefined:
        return unknown(raw);
      case "value":
        if (value === undefined) problems.push(`${raw} needs a value`);
        else if (flag === "--grant") grants.push(value);
        else values[flag.slice(2)] = value;
        return;
      case "optional":
        inspect = value ?? true;
        return;
      case "switch":
        if (value === undefined) set.add(flag.slice(2));
        else problems.push(`${raw} takes no value`);
    }
  };

  const words = argv[Symbol.iterator]();
  for (const word of words) {
    if (word === "--") {
      for (const rest of words) unknown(rest);
      break;
    }
    const given = flagsOf(word);
    if (given.length === 0) unknown(word);
    for (const one of given) {
      const takesNext = one.value === undefined && FLAGS[one.flag] === "value";
      take(takesNext ? { ...one, value: words.next().value } : one);
    }
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
