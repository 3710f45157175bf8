import { wantsNoColor } from "../../base/platform.ts";
import { assertEquals } from "../assert.ts";

Deno.test("colours are unwanted where NO_COLOR isn't empty, and where the terminal has none", () => {
  for (
    const [noColor, term, unwanted] of [
      [undefined, undefined, false],
      [undefined, "xterm-256color", false],
      ["", "xterm", false],
      ["1", "xterm", true],
      ["0", undefined, true],
      [undefined, "dumb", true],
      ["", "dumb", true],
    ] as const
  ) {
    const variables = new Map([["NO_COLOR", noColor], ["TERM", term]]);
    assertEquals(
      wantsNoColor((name) => variables.get(name)),
      unwanted,
      `${noColor} ${term}`,
    );
  }
});
