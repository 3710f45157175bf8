/** `Deno.test` on Node's own test runner. */

import { it, type TestContext } from "node:test";

/** The options of a test that say what to run; Node has nothing like Deno's sanitizers. */
interface Options {
  readonly name?: string;
  readonly ignore?: boolean;
  readonly fn?: Body;
}

type Body = (context: { step: Step }) => void | Promise<void>;
type Step = (name: string, body: Body) => Promise<void>;

/** Registers a test, in the forms that these tests use of `Deno.test`. */
export function test(
  first: string | Options,
  second?: Options | Body,
  third?: Body,
): void {
  const named = typeof first === "string" ? { name: first } : first;
  const options = typeof second === "function" ? {} : second;
  const { name, ignore, fn } = { ...named, ...options };
  const body = third ?? (typeof second === "function" ? second : fn);
  if (name === undefined || body === undefined) {
    throw new TypeError("Cannot register a test without a name and a function");
  }
  void it(name, { skip: ignore ?? false }, (context) => run(body, context));
}

async function run(body: Body, context: TestContext): Promise<void> {
  await body({
    step: (name, inner) => context.test(name, (within) => run(inner, within)),
  });
}
