/** When a figure has fallen, and what figures are compared with. */
import {
  compareFigure,
  FIGURES,
  figureTable,
  hasFallen,
} from "../../bench/short/figures.ts";
import {
  CannotCompare,
  type FiguresFile,
  otherMachine,
  parseFigures,
  recordedOf,
} from "../../bench/short/figures_file.ts";
import { measurementsOf } from "../../bench/short/measurements.ts";
import { assertEquals, assertThrows } from "../assert.ts";

const MACHINE = { processor: "2 × Some", system: "x86_64", deno: "2.9.6" };

Deno.test("a figure has fallen once it is lower by more than a third", () => {
  assertEquals(hasFallen(0.3, 0.3), false);
  assertEquals(hasFallen(0.3, 0.201), false);
  assertEquals(hasFallen(3, 2), false);
  assertEquals(hasFallen(0.3, 0.199), true);
  assertEquals(hasFallen(0.3, 0), true);
  assertEquals(hasFallen(0.3, 5), false);
  assertEquals(hasFallen(0.3, NaN), true);
});

Deno.test("the best of several tries counts, and a try without a number doesn't", () => {
  const compared = compareFigure("start", 0.3, [0.1, NaN, 0.25, 0.15]);
  assertEquals(compared, {
    ...{ name: "start", recorded: 0.3, now: 0.25, tries: 4 },
    fallen: false,
  });
  assertEquals(compareFigure("start", 0.3, [0.1, 0.19]).fallen, true);
  assertEquals(compareFigure("start", 0.3, [NaN]).fallen, true);
});

Deno.test("the table shows what was recorded, what is, and what has fallen", () => {
  assertEquals(
    figureTable([
      compareFigure("start", 0.1, [0.11]),
      compareFigure("late-step", 1.2, [0.2, 0.6]),
    ]),
    [
      "figure     recorded    now     ×",
      "start         0.100  0.110  1.10  ok",
      "late-step     1.200  0.600  0.50  FALLEN (2 tries)",
    ],
  );
});

Deno.test("recorded figures are read back", () => {
  const file: FiguresFile = {
    machine: MACHINE,
    figures: { start: { ratio: 0.1, range: [0.09, 0.12] } },
  };
  assertEquals(parseFigures(JSON.stringify(file), ["start"]), file);
});

Deno.test("of several runs the lowest but one is recorded, and their range", () => {
  assertEquals(recordedOf([0.5, 0.3, 0.12345, 0.4, 0.2]), {
    ratio: 0.2,
    range: [0.123, 0.5],
  });
  assertEquals(recordedOf([0.3]), { ratio: 0.3, range: [0.3, 0.3] });
});

Deno.test("a file that lacks a figure says how to add it", () => {
  const file = JSON.stringify({ machine: MACHINE, figures: {} });
  assertThrows(
    () => parseFigures(file, ["start", "turn"]),
    CannotCompare,
    "bench/figures.json has no figure start, turn: `deno task bench --record start turn` adds it",
  );
});

Deno.test("a file of another form is refused, and says what is wrong", () => {
  const refused = (content: unknown, message: string) =>
    assertThrows(
      () => parseFigures(JSON.stringify(content), []),
      CannotCompare,
      message,
    );
  assertThrows(() => parseFigures("{", []), CannotCompare, "is no JSON");
  for (
    const content of [null, [], { figures: {} }, { machine: {}, figures: {} }]
  ) refused(content, "must hold { machine: { processor, system, deno }");
  for (
    const start of [
      ...[0.1, {}, { ratio: 0, range: [1, 1] }, { ratio: "1", range: [1, 1] }],
      ...[{ ratio: 1 }, { ratio: 1, range: [1] }],
    ]
  ) refused({ machine: MACHINE, figures: { start } }, "above 0 for start");
});

Deno.test("figures of another machine are told by what differs", () => {
  assertEquals(otherMachine(MACHINE, { ...MACHINE }), undefined);
  assertEquals(
    otherMachine(MACHINE, { ...MACHINE, processor: "8 × Other" }),
    "bench/figures.json is of another machine (processor 2 × Some, here 8 × Other): " +
      "ratios may differ for that alone",
  );
});

Deno.test("each figure is measured by one measurement, and the repository has it", async () => {
  const measured = measurementsOf(Object.keys(FIGURES))
    .flatMap(({ figures }) => figures);
  assertEquals(measured, Object.keys(FIGURES));
  const file = new URL("../../bench/figures.json", import.meta.url);
  const { figures } = parseFigures(
    await Deno.readTextFile(file),
    Object.keys(FIGURES),
  );
  assertEquals(Object.keys(figures), Object.keys(FIGURES));
});
