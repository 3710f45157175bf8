import fc from "fast-check";
import { compilePattern, patternRunsLinear } from "../../base/pattern.ts";
import { withoutUnicodeFlag } from "../../base/pattern_linear.ts";
import { readPattern } from "../../base/pattern_syntax.ts";
import { assert, assertEquals, assertThrows } from "../assert.ts";
import { evalCommand, sourceFile } from "../runtime.ts";

/** Patterns that backtrack and can be said without the `u` flag. */
const REWRITTEN = [
  String.raw`^(a+)+$`,
  String.raw`(.)*$`,
  String.raw`^.*.*$`,
  String.raw`^(?:.|x){2}$`,
  String.raw`(\S+\s?)*$`,
  String.raw`^([^@\s]+@)+[^@\s.]+\.[a-z]+$`,
  String.raw`^([\s\S]{2})*$`,
  String.raw`(\D|\d\W)*1$`,
  String.raw`(?<word>\w+\b\s*)*!$`,
  String.raw`^(?:😀|a)*b$`,
  String.raw`([\u{1F600}-\u{1F64F}a]+x?)+$`,
  String.raw`([\u{FFFF}-\u{20000}][^\u{10000}-\u{1FFFF}])+$`,
  String.raw`^(\ud83d\ude00|.)*\x61$`,
  String.raw`(a{2,20}|b)*c$`,
  String.raw`^((a|b){3}){7,9}$`,
  String.raw`^(?:a{0,40}b)*$`,
  String.raw`([-a\]^]+[\w\-]*)+$`,
  String.raw`(\cA|\0|\t|\/|\.|\u{61})*$`,
  String.raw`(?:[^]*[]|a)*b`,
  String.raw`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,}$`,
];

/** Patterns that may backtrack and must keep the `u` flag. */
const KEPT = [
  String.raw`(?=a+)a+a+b`,
  String.raw`(a+)\1+b`,
  String.raw`(?<x>a+)\k<x>+b`,
  String.raw`(\p{L}+)+$`,
  String.raw`([\p{L}\d]+)+$`,
  String.raw`(a+\B)+$`,
  String.raw`([\uD800-\uDBFF]+)+$`,
  String.raw`([\uE000-\uFFFF]+a)+$`,
  String.raw`(?i:a+)+$`,
  String.raw`^(?:a{0,3000}b){2,}$`,
];

/** Patterns that can't backtrack much in any engine. */
const HARMLESS = [
  String.raw`^[a-z]{1,63}\.[a-z]{2,20}$`,
  String.raw`^\p{L}{1,50}$`,
  String.raw`^[a-z]+$`,
  String.raw`^x-`,
  String.raw`^\d{4}-\d{2}-\d{2}$`,
  String.raw`^(?:GET|POST)$`,
  String.raw`a|b`,
  String.raw`\B`,
  "",
];

const pieces = [
  ..."ab1x!@. -_]^\n\t\u0001\0é\u2028\uFFFD\uFFFF\uE000",
  "😀",
  "𐀀",
  "🯿",
  "\ud83d",
  "\ude00",
  "aa",
  "abc.de",
];
const textOf = (maxLength: number) =>
  fc.array(fc.constantFrom(...pieces), { maxLength })
    .map((parts) => parts.join(""));

/** Whether the engine has modifiers within a pattern; Node's has from 23 on. */
const hasModifiers = (() => {
  try {
    return new RegExp("(?i:a)").test("A");
  } catch {
    return false;
  }
})();

for (const pattern of [...REWRITTEN, ...KEPT, ...HARMLESS]) {
  const ignore = pattern.startsWith("(?i:") && !hasModifiers;
  Deno.test(
    `the pattern ${
      JSON.stringify(pattern)
    } matches what it matches under the u flag`,
    { ignore },
    () => {
      const compiled = compilePattern(pattern);
      const expected = new RegExp(pattern, "u");
      fc.assert(fc.property(textOf(16), (text) => {
        assertEquals(compiled.test(text), expected.test(text));
      }));
    },
  );
}

Deno.test("random patterns keep their meaning without the u flag", () => {
  const atom = fc.constantFrom(
    "a",
    ".",
    "😀",
    String.raw`\w`,
    String.raw`\W`,
    String.raw`\S`,
    String.raw`\b`,
    "[^a]",
    "[a😀]",
    String.raw`[^\d😀]`,
    String.raw`[\s\S]`,
    "^",
    "$",
  );
  const { pattern } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
    pattern: fc.array(tie("part"), { maxLength: 3 }).map((parts) =>
      parts.join("")
    ),
    part: fc.oneof(
      { maxDepth: 2 },
      atom,
      fc.tuple(
        tie("pattern"),
        tie("pattern"),
        fc.constantFrom("", "*", "+", "?", "{2}", "{0,3}", "{17,18}", "{1,}?"),
      ).map(([left, right, quantifier]) => `(${left}|${right})${quantifier}`),
    ),
  }));
  fc.assert(
    fc.property(pattern, textOf(4), (source, text) => {
      const rewritten = withoutUnicodeFlag(readPattern(source));
      if (rewritten === undefined) return;
      assertEquals(
        new RegExp(rewritten).test(text.toWellFormed()),
        new RegExp(source, "u").test(text),
      );
      // Always the same ones: among others are some, now and then, that backtrack for minutes.
    }),
    { seed: 1 },
  );
});

Deno.test("a pattern that is rewritten or harmless is told from one that may backtrack", () => {
  for (const pattern of [...REWRITTEN, ...HARMLESS]) {
    assert(patternRunsLinear(pattern), pattern);
  }
  for (const pattern of KEPT) assert(!patternRunsLinear(pattern), pattern);
});

Deno.test("what isn't a pattern under the u flag is refused and doesn't count as linear", () => {
  for (const pattern of [String.raw`^\_$`, "(", "a{2", "[z-a]"]) {
    assertThrows(() => compilePattern(pattern), SyntaxError);
    assert(!patternRunsLinear(pattern), pattern);
  }
});

Deno.test("a pattern nested too deep to be read counts as one that may backtrack", () => {
  const depth = 2_000;
  const pattern = "(".repeat(depth) + "a+" + ")+".repeat(depth);
  assert(!patternRunsLinear(pattern));
});

/** Runs a script in a child with a flag of V8, as `argument` what is handed over; answers the JSON that it prints. */
async function inChild(
  flag: string,
  script: string,
  argument: unknown,
): Promise<unknown> {
  const [program, ...args] = evalCommand(
    `const argument = ${JSON.stringify(argument)};\n${script}`,
    [flag],
  );
  const { success, stdout, stderr } = await new Deno.Command(program, {
    args,
    stdout: "piped",
    stderr: "piped",
  }).output();
  assert(success, new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout));
}

Deno.test("V8's linear engine takes every rewritten pattern", async () => {
  const sources = REWRITTEN.map((pattern) =>
    withoutUnicodeFlag(readPattern(pattern))
  );
  const refused = await inChild(
    "--enable-experimental-regexp-engine",
    `const refused = [];
     for (const source of argument) {
       try { new RegExp(source, "l"); } catch (error) { refused.push(String(error)); }
     }
     console.log(JSON.stringify(refused));`,
    sources,
  );
  assertEquals(refused, []);
});

Deno.test("with the linear fallback a pattern that explodes answers on a text that would take for ever", async () => {
  const module = sourceFile("../../base/pattern.ts", import.meta.url).href;
  const matched = await inChild(
    "--enable-experimental-regexp-engine-on-excessive-backtracks",
    `const { compilePattern } = await import(${JSON.stringify(module)});
     const [pattern, text] = argument;
     console.log(JSON.stringify(compilePattern(pattern).test(text)));`,
    ["^(a+)+$", "a".repeat(200) + "!"],
  );
  assertEquals(matched, false);
});
