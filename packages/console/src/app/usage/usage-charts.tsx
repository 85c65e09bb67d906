import type { AdminUsage } from "@snap/protocol";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { ChartData } from "../chart/chart-data.ts";
import { Chart } from "../chart/chart.tsx";
import { formatCount, formatDay, formatDuration, formatNoun } from "../format.ts";
import { findPeak, type Day } from "./find-peak.ts";
import { daysOf, type DayRange } from "./range.ts";

interface UsageChartsProps {
  readonly entries: readonly AdminUsage[];
  readonly range: DayRange;
}

/** Requests and durations by day, including days without usage. */
export function UsageCharts({ entries, range }: UsageChartsProps): JSX.Element {
  const days = useMemo(() => daysWithUsage(entries, range), [entries, range.from, range.to]);
  const requests = useMemo(() => requestChart(days), [days]);
  const durations = useMemo(() => durationChart(days), [days]);
  const busiest = findPeak(days, ({ renders, hits, failures }) => renders + hits + failures);
  const slowest = findPeak(days, ({ longest_render_ms: longestMs }) => longestMs);
  return (
    <div class="columns wide-left">
      <div class="panel padded">
        <Chart
          title="Requests by day"
          unit="requests per day"
          instantLabel="Day (UTC)"
          data={requests}
          next={<p>Choose an earlier or longer range.</p>}
          summary={
            busiest === null
              ? "No requests in this range."
              : `Busiest day: ${formatDay(busiest.day)}, with ${formatNoun(busiest.figure, "request")}.`
          }
        />
      </div>
      <div class="panel padded">
        <Chart
          title="Render time by day"
          unit="time per render"
          instantLabel="Day (UTC)"
          data={durations}
          next={<p>Choose an earlier or longer range.</p>}
          summary={
            slowest === null
              ? "No renders in this range."
              : `Longest render: ${formatDuration(slowest.figure)}, on ${formatDay(slowest.day)}.`
          }
        />
      </div>
    </div>
  );
}

function daysWithUsage(entries: readonly AdminUsage[], range: DayRange): readonly Day[] {
  const byDay = new Map(entries.map((entry) => [entry.day, entry]));
  return daysOf(range).map((day) => ({ day, usage: byDay.get(day) }));
}

function requestChart(days: readonly Day[]): ChartData {
  const column = (name: "renders" | "hits" | "failures"): number[] =>
    days.map(({ usage }) => usage?.[name] ?? 0);
  return {
    kind: "stacked-bars",
    isDaily: true,
    instants: days.map(({ day }) => new Date(day)),
    series: [
      { label: "Renders", tone: "accent", values: column("renders") },
      { label: "Cache hits", tone: "muted", values: column("hits") },
      { label: "Failures", tone: "bad", values: column("failures") },
    ],
    formatInstant: formatDay,
    formatValue: formatCount,
  };
}

function durationChart(days: readonly Day[]): ChartData {
  const withRenders = ({ usage }: Day): AdminUsage | null =>
    usage !== undefined && usage.renders > 0 ? usage : null;
  return {
    kind: "lines",
    isDaily: true,
    instants: days.map(({ day }) => new Date(day)),
    series: [
      { label: "Mean", tone: "accent", values: days.map((day) => withRenders(day)?.mean_render_ms ?? null) },
      {
        label: "Longest",
        tone: "muted",
        values: days.map((day) => withRenders(day)?.longest_render_ms ?? null),
      },
    ],
    formatInstant: formatDay,
    formatValue: formatDuration,
  };
}
