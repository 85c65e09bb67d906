import { METRICS } from "../../../../server/src/operations/metrics/catalog.ts";
import type { Metric } from "../../../../server/src/operations/metrics/define.ts";
import { code, sentence, table, type ReferencePage } from "./page.ts";

export const metricsPage: ReferencePage = {
  file: "metrics.md",
  title: "Metrics",
  summary: "What `/metrics` exposes with `SNAP_METRICS=on`, and what every label value means.",
  parts: () => [
    "Counters and histograms begin at 0 when the process starts, and cover only that process. A gauge that cannot be read within 0.7 seconds is absent; `snap_ready`, and `snap_dependency_up` of PostgreSQL and Redis, are then 0. No label contains an account, a token, a host or a URL. `packages/server/deploy/alerts.yml` and `packages/server/deploy/dashboard.json` use these metrics; [Monitoring](../how-to/run-in-production.md#monitoring) describes how to install them. `/metrics` also has the `process_` and `nodejs_` metrics of `prom-client`, such as `process_resident_memory_bytes`, the service's memory without its browsers.",
    ...Object.entries(METRICS).flatMap(([subject, metrics]) =>
      [
        `## ${subject}`,
        table(
          ["metric", "type", "meaning"],
          Object.values(metrics).map(({ name, type, help, labels = {} }) => [
            code(Object.keys(labels).length === 0 ? name : `${name}{${Object.keys(labels).join(",")}}`),
            type,
            help,
          ]),
        ),
      ].concat(labelTables(Object.values(metrics))),
    ),
  ],
};

/** Metrics that share a label's values share its rows. */
function labelTables(metrics: readonly Metric[]): readonly string[] {
  const labels = metrics.flatMap(({ name, labels: own = {} }) =>
    Object.entries(own).map(([label, values]) => ({ name, label, values })),
  );
  const rows = [...Map.groupBy(labels, ({ values }) => values)].flatMap(([values, sharing]) => {
    const [label = ""] = sharing.map((each) => each.label);
    const names = sharing.map(({ name }) => code(name)).join(", ");
    const meanings = typeof values === "string" ? [["any", values] as const] : Object.entries(values);
    return meanings.map(([value, meaning]) => [
      code(label),
      names,
      typeof values === "string" ? value : code(value),
      sentence(meaning),
    ]);
  });
  return rows.length === 0 ? [] : [table(["label", "metrics", "value", "meaning"], rows)];
}
