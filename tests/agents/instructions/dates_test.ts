import { filters, Liquid } from "liquidjs";
import { assertEquals, assertStringIncludes } from "../../assert.ts";
import { evalCommand, sourceFile } from "../../runtime.ts";
import { errorOf, render, textOf } from "./instructions_fixture.ts";

function print(value: unknown, filter: string): string {
  return textOf(render(`{{ v | ${filter} }}`, { parameters: { v: value } }));
}

const CODES = "aAbBcCdeHIjklLmMNpPqsSuUwWxXyYzZtn%h";
const MOMENTS = [
  "2026-01-01T00:00:00.000Z",
  "2026-07-04T12:05:09.007Z",
  "2026-12-31T23:59:59.999Z",
  "2024-02-29T08:30:00.000Z",
  "1969-07-20T20:17:40.000Z",
];

Deno.test("every format code prints what LiquidJS prints for UTC", () => {
  const reference = new Liquid({ timezoneOffset: 0, locale: "en-US" });
  const flags = ["", "-", "_", "0", "^", "#", ":", "6", "_6", "06", "^9", "E"];
  for (const moment of MOMENTS) {
    for (const code of CODES) {
      for (const flag of flags) {
        const template = `{{ v | date: "[%${flag}${code}]" }}`;
        assertEquals(
          textOf(render(template, { parameters: { v: moment } })),
          reference.parseAndRenderSync(template, { v: moment }),
          `${moment} %${flag}${code}`,
        );
      }
    }
  }
});

Deno.test("the named date filters print what LiquidJS prints for UTC", () => {
  const reference = new Liquid({ timezoneOffset: 0, locale: "en-US" });
  const uses = [
    "date",
    "date_to_xmlschema",
    "date_to_rfc822",
    "date_to_string",
    "date_to_string: 'ordinal'",
    "date_to_string: 'ordinal', 'US'",
    "date_to_long_string",
    "date_to_long_string: 'ordinal', 'US'",
    "date: '%H:%M %z', 90",
    "date: '%H:%M %z', 'Asia/Tokyo'",
    "date: '%H:%M %z %Z', 'America/New_York'",
  ];
  for (const moment of MOMENTS) {
    for (const use of uses) {
      assertEquals(
        print(moment, use),
        reference.parseAndRenderSync(`{{ v | ${use} }}`, { v: moment }),
        `${moment} ${use}`,
      );
    }
  }
});

Deno.test("every date filter of LiquidJS is one of ours", () => {
  const names = Object.keys(filters).filter((name) => name.startsWith("date"));
  assertEquals(names.sort(), [
    "date",
    "date_to_long_string",
    "date_to_rfc822",
    "date_to_string",
    "date_to_xmlschema",
  ]);
});

Deno.test("dates are read as people write them, in UTC where they name no zone", () => {
  const day = "date: '%Y-%m-%d %H:%M'";
  const readings: [unknown, string][] = [
    ["2026-03-29", "2026-03-29 00:00"],
    ["2026-03-29T02:30", "2026-03-29 02:30"],
    ["2026-03-29 02:30", "2026-03-29 02:30"],
    ["March 29, 2026", "2026-03-29 00:00"],
    ["29 Mar 2026 02:30", "2026-03-29 02:30"],
    ["2026-03-29T02:30+02:00", "2026-03-29 00:30"],
    ["2026-03-29 02:30 -0130", "2026-03-29 04:00"],
    ["Sun, 29 Mar 2026 02:30:00 GMT", "2026-03-29 02:30"],
    ["1774751400", "2026-03-29 02:30"],
    [1774751400, "2026-03-29 02:30"],
  ];
  for (const [value, expected] of readings) {
    assertEquals(print(value, day), expected, String(value));
  }
  for (const value of ["not a date", "", true, "9".repeat(30)]) {
    assertEquals(print(value, day), String(value));
  }
});

Deno.test("a date in the template can be the turn's own now", () => {
  assertEquals(
    textOf(
      render("{{ 'now' | date: '%Y-%m-%d %H:%M' }} {{ 'today' | date: '%e' }}"),
    ),
    "2026-09-17 15:30 17",
  );
});

Deno.test("an unknown time zone fails the render", () => {
  const error = errorOf(render("{{ now | date: '%H', 'Mars/Olympus' }}"));
  assertEquals(error.code, "render-failure");
});

Deno.test("[trap 20] a huge width in a date format is past the memory limit", () => {
  for (const code of ["Y", "N", "d", "H"]) {
    const error = errorOf(render(`{{ now | date: "%9999999${code}" }}`));
    assertEquals(error.code, "render-failure");
    assertStringIncludes(error.message, "memory limit");
  }
});

const ZONED_PROGRAM = `
  import { renderInstructions } from ${
  JSON.stringify(
    sourceFile("../../../agents/instructions/mod.ts", import.meta.url).href,
  )
};
  const template = "{{ today }} {{ now }} {{ now | date: '%Y-%m-%d %H:%M %a %j %U %z %c' }} " +
    "{{ '2026-03-29 02:30' | date: '%H:%M' }} {{ '2026-10-25 02:30' | date: '%H:%M %s' }}";
  for (const now of ["2026-03-29T01:30:00Z", "2026-03-29T02:30:00Z", "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"]) {
    const result = renderInstructions(
      { id: "a.b", name: "A", version: "1.0.0", instructions: template },
      { parameters: {}, clock: () => new Date(now) },
    );
    console.log(JSON.stringify(result.ok ? result.value.rendered : result.error));
  }
`;

Deno.test("[trap 25] today, now and date print the same in every time zone, also on the days that summer time changes", async () => {
  const outputs = await Promise.all(
    ["UTC", "Europe/Paris", "Asia/Kathmandu", "America/New_York"].map(
      async (zone) => {
        const [program, ...args] = evalCommand(ZONED_PROGRAM);
        const { stdout, stderr, success } = await new Deno.Command(
          program,
          {
            args,
            env: { TZ: zone },
            cwd: new URL("../../../", import.meta.url),
          },
        ).output();
        assertEquals(success, true, new TextDecoder().decode(stderr));
        return new TextDecoder().decode(stdout);
      },
    ),
  );
  assertStringIncludes(outputs[0]!, "2026-03-29 02:30 Sun 088");
  for (const output of outputs) assertEquals(output, outputs[0]);
});
