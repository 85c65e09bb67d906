import { expect, it } from "vitest";
import { costTable, sizingTable } from "../../src/bench/report/sizing.ts";

const COSTS = [
  // Bound by the processors.
  { kind: "heavy", cpuSeconds: 2, aloneSeconds: 1, bytesInFlight: 60e6 },
  // Bound by the slots: it mostly waits.
  { kind: "light", cpuSeconds: 0.1, aloneSeconds: 2, bytesInFlight: 10e6 },
];

it("tells what a render costs", () => {
  expect(costTable(COSTS).rows).toEqual([
    ["heavy", "2", "1800", "1", "60"],
    ["light", "0.1", "36000", "2", "10"],
  ]);
});

it("sizes machines by processors, slots and the largest page", () => {
  const { columns, rows } = sizingTable({
    restBytes: 300e6,
    costs: COSTS,
    inFlightOn: (cores) => 2 * cores + 2,
  });
  expect(columns).toEqual([
    "cores",
    "heavy",
    "light",
    "pages in flight",
    "MB if all are of the largest kind",
  ]);
  // 2 cores: 2 x 0.7 x 3600 / 2; 6 slots x 3600 / 2; 300 MB and 6 x 60 MB.
  expect(rows[1]).toEqual(["2", "2520", "10800", "6", "660"]);
});
