import type { AdminHealth } from "@snap/protocol";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { ChartData } from "../chart/chart-data.ts";
import { Chart } from "../chart/chart.tsx";
import { formatCount, formatMinute, formatNoun } from "../format.ts";
import { toHash } from "../routing/route.ts";

type Activity = AdminHealth["activity"];

/** Renders and failures per minute in the last hour. */
export function ActivityChart({ activity }: { readonly activity: Activity }): JSX.Element {
  const data = useMemo(() => chartOf(activity), [activity]);
  return (
    <div class="panel padded">
      <Chart
        title="Last hour"
        unit="renders and failures per minute"
        summary={summaryOf(activity)}
        data={data}
        instantLabel="Minute"
        next={
          <p>
            <a href={toHash(["playground"])}>Render a page in the playground</a>
          </p>
        }
      />
    </div>
  );
}

function chartOf(activity: Activity): ChartData {
  return {
    kind: "stacked-bars",
    instants: activity.map(({ at }) => new Date(at)),
    series: [
      { label: "Renders", tone: "accent", values: activity.map(({ renders }) => renders) },
      { label: "Failures", tone: "bad", values: activity.map(({ failures }) => failures) },
    ],
    formatInstant: formatMinute,
    formatValue: formatCount,
  };
}

function summaryOf(activity: Activity): string {
  const renders = activity.reduce((sum, minute) => sum + minute.renders, 0);
  const failures = activity.reduce((sum, minute) => sum + minute.failures, 0);
  if (renders + failures === 0) return "No renders in the last hour.";
  const busiest = Math.max(...activity.map((minute) => minute.renders));
  return `${formatNoun(renders, "render")} and ${formatNoun(failures, "failure")}; peak: ${formatNoun(busiest, "render")} in one minute.`;
}
