import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Empty } from "../ui/states.tsx";
import { Table } from "../ui/table.tsx";
import { hasNonzeroValue, type ChartData } from "./chart-data.ts";
import { drawChart } from "./draw-chart.ts";
import { useRedraws } from "./use-redraws.ts";

interface ChartProps {
  readonly title: string;
  /** Unit of the vertical axis, such as `requests per day`. */
  readonly unit: string;
  /** One sentence, shown below the chart or instead of an empty one, and read by screen readers. */
  readonly summary: string;
  readonly data: ChartData;
  /** Heading of the table's first column, such as `Day (UTC)`. */
  readonly instantLabel: string;
  /** Next step, shown if the chart is empty. */
  readonly next?: ComponentChildren;
}

/** A time series with a legend, the values under the pointer, and a table of all values. */
export function Chart({ title, unit, summary, data, instantLabel, next }: ChartProps): JSX.Element {
  const container = useRef<HTMLDivElement>(null);
  const isEmpty = !hasNonzeroValue(data);
  const [hovered, setHovered] = useState<number | null>(null);
  const redraws = useRedraws(container, !isEmpty);
  useEffect(() => {
    if (container.current === null) return;
    const plot = drawChart(container.current, data, setHovered);
    return () => plot.destroy();
  }, [data, redraws]);

  return (
    <figure class="chart">
      <figcaption>
        <h2>{title}</h2>
        <ul class="legend">
          {data.series.map(({ label, tone }) => (
            <li key={label}>
              <span class={`swatch ${tone}`} />
              {label}
            </li>
          ))}
        </ul>
      </figcaption>
      {isEmpty ? (
        <Empty title={summary}>{next}</Empty>
      ) : (
        <>
          <p class="chart-unit">{unit}</p>
          <div ref={container} class="plot" role="img" aria-label={`${title}. ${summary}`} />
          <p class="readout">{hovered === null ? summary : describe(data, hovered)}</p>
          <details class="figures">
            <summary>Show as a table</summary>
            <div class="scroll" tabIndex={0} role="region" aria-label={`${title}, as a table`}>
              <FiguresTable title={title} data={data} instantLabel={instantLabel} />
            </div>
          </details>
        </>
      )}
    </figure>
  );
}

function describe(data: ChartData, index: number): string {
  const instant = data.instants[index];
  if (instant === undefined) return "";
  const values = data.series.map(
    ({ label, values: all }) => `${label.toLowerCase()} ${formatOrDash(data, all[index])}`,
  );
  return `${data.formatInstant(instant)}: ${values.join(", ")}`;
}

function formatOrDash({ formatValue }: ChartData, value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : formatValue(value);
}

type FiguresProps = Pick<ChartProps, "title" | "data" | "instantLabel">;

function FiguresTable({ title, data, instantLabel }: FiguresProps): JSX.Element {
  return (
    <Table
      caption={title}
      rows={[...data.instants.keys()]}
      rowKey={(index) => index}
      columns={[
        { label: instantLabel, cell: (index) => data.formatInstant(data.instants[index] ?? new Date(0)) },
        ...data.series.map(({ label, values }) => ({
          label,
          cell: (index: number) => formatOrDash(data, values[index]),
          isNumber: true,
        })),
      ]}
    />
  );
}
