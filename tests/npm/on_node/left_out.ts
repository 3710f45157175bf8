/** Which tests don't run on Node, and why; README, "On Node", says the same. */

/** Test files that are left out. */
export interface LeftOut {
  /** Files or folders, from the folder `tests`. */
  readonly paths: readonly string[];
  /** What they test that Node doesn't have. */
  readonly why: string;
}

/** Everything that is left out: any other test file runs on Node. */
export const LEFT_OUT: readonly LeftOut[] = [
  {
    paths: ["scripts", "examples", "npm"],
    why: "scripts and examples of this checkout, which run on Deno",
  },
  {
    paths: [
      "configs_test.ts",
      "house_test.ts",
      "house_graph_test.ts",
      "readme_test.ts",
    ],
    why: "this checkout's sources and texts",
  },
];

/** Whether a test file, named from the folder `tests`, is left out. */
export function isLeftOut(file: string): boolean {
  return LEFT_OUT.some(({ paths }) =>
    paths.some((path) => file === path || file.startsWith(`${path}/`))
  );
}
