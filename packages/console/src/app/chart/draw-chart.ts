import uPlot from "uplot";
import { formatCompact } from "../format.ts";
import { stack, type ChartData, type SeriesTone } from "./chart-data.ts";

const HEIGHT_PX = 220;
const NARROW_PX = 480;

const COLOR_VARIABLES: Readonly<Record<SeriesTone, string>> = {
  accent: "--accent",
  muted: "--chart-muted",
  bad: "--bad",
};

/** Draws a chart in the colors of the style sheet. The caller must call `destroy()`. */
export function drawChart(
  container: HTMLElement,
  data: ChartData,
  onHover: (index: number | null) => void,
): uPlot {
  const style = getComputedStyle(container);
  const color = (name: string): string => style.getPropertyValue(name).trim();
  const isStacked = data.kind === "stacked-bars";
  // `stack` returns the top of the stack first
  const drawn = isStacked ? data.series.toReversed() : data.series;
  const font = `12px ${style.fontFamily}`;
  const axis = { stroke: color("--text-muted"), font, ticks: { show: false } };
  const seconds = data.instants.map((instant) => instant.getTime() / 1000);
  const values = data.series.map((series) => series.values);

  const options: uPlot.Options = {
    width: container.clientWidth,
    height: HEIGHT_PX,
    legend: { show: false },
    cursor: { y: false, points: { show: !isStacked }, drag: { x: false, y: false } },
    scales: {
      x: { range: (_, min, max) => padRange(min, max, seconds) },
      y: { range: (_, _min, max) => [0, niceMax(max)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        gap: 8,
        size: 32,
        space: container.clientWidth < NARROW_PX ? 64 : 88,
        values: (_, splits) => splits.map((split) => data.formatInstant(new Date(split * 1000))),
      },
      {
        ...axis,
        size: isStacked ? 44 : 60,
        grid: { stroke: color("--line"), width: 1 },
        values: (_, splits) =>
          splits.map((split) => (data.kind === "lines" ? data.formatValue(split) : formatCompact(split))),
        // counts have no fractions
        incrs: [1, 2, 5, 10]
          .flatMap((step) => Array.from({ length: 12 }, (__, power) => step * 10 ** power))
          .toSorted((a, b) => a - b),
      },
    ],
    series: [{}, ...drawn.map(({ tone }) => seriesStyle(color(COLOR_VARIABLES[tone]), isStacked))],
    hooks: { setCursor: [({ cursor }) => onHover(cursor.idx ?? null)] },
    ...(data.isDaily && { tzDate: (second: number) => uPlot.tzDate(new Date(second * 1000), "Etc/UTC") }),
  };
  const columns = isStacked ? stack(values) : values.map((column) => column.slice());
  return new uPlot(options, [seconds, ...columns], container);
}

function seriesStyle(color: string, isStacked: boolean): uPlot.Series {
  // a day between two days without renders would otherwise be invisible
  if (!isStacked) return { stroke: color, width: 2, points: { show: true, size: 5, fill: color, width: 0 } };
  const paths = uPlot.paths.bars?.({ size: [0.72, 28] });
  return { fill: color, width: 0, points: { show: false }, ...(paths !== undefined && { paths }) };
}

/** Adds half the distance between two bars at each end. */
function padRange(min: number, max: number, seconds: readonly number[]): [number, number] {
  const [first = min, second = first + 60] = seconds;
  const half = (second - first) / 2;
  return [min - half, max + half];
}

/** Leaves space above the highest value. */
function niceMax(max: number): number {
  return max > 0 ? max * 1.1 : 4;
}
