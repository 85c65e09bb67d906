import { expect, it } from "vitest";
import { costTable, sizingTable } from "../../src/bench/report/sizing.ts";

const COSTS = [
  // Bound by the processors.
  { kind: "heavy", cpuSeconds: 2, aloneSeconds: 1, bytesInFlight: 60e6 },
  // Bound by the pages in flight: it mostly waits.
  { kind: "light", cpuSeconds: 0.05, aloneSeconds: 2, bytesInFlight: 10e6 },
];

it("tells what a render costs", () => {
  expect(costTable(COSTS).rows).toEqual([
    ["heavy", "2", "1800", "1", "60"],
    ["light", "0.05", "72000", "2", "10"],
  ]);
});

it("sizes machines by processors, pages in flight and the kind that needs most memory", () => {
  const { columns, rows } = sizingTable({
    restBytes: 300e6,
    costs: COSTS,
    slotsOn: (cores) => 2 * cores + 2,
    maxInFlightOn: (cores) => 16 * cores,
  });
  expect(columns).toEqual([
    "cores",
    "heavy",
    "light",
    "slots",
    "pages in flight, at most",
    "MB, for the kind that needs most",
  ]);
  // 2 cores. Heavy: 2 x 0.7 x 3600 / 2, in 6 slots x 60 MB. Light: 2 x 0.7 x 3600 / 0.05, in 28 x 2 = 56 pages, of
  // which 32 may be: 32 x 3600 / 2.
  expect(rows[1]).toEqual(["2", "2520", "57600", "6", "32", "660"]);
});
