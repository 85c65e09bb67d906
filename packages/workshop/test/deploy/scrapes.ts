import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../../src/machine/run.ts";
import { ROOT } from "../../src/workspace.ts";

/** The samples of one scrape, by series in the text format, such as `snap_captures_total{cache="hit"}`. */
export type Scrape = ReadonlyMap<string, number>;

/** Scrapes a process. */
export async function scrape(origin: string): Promise<Scrape> {
  const response = await fetch(`${origin}/metrics`);
  return parseScrape(await response.text());
}

/** Parses the Prometheus text format. */
function parseScrape(text: string): Scrape {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(" ");
      return [line.slice(0, end), Number(line.slice(end + 1))] as const;
    }),
  );
}

/**
 * Returns which `alerts` fire if the first scrape finds a process as in `before`, and all scrapes in the next three hours
 * find it as in `after`: gauges keep their values, and counters grow by the same difference every minute.
 */
export async function findFiring(
  alerts: readonly string[],
  { before, after }: { readonly before: Scrape; readonly after: Scrape },
): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), "snap-alerts-"));
  const series = [...new Set([...before.keys(), ...after.keys()])]
    .filter((name) => /^(snap_|process_start_time_seconds)/.test(name))
    .map((name) => ({ series: withTarget(name), values: valuesOf(name, before.get(name), after.get(name)) }));
  const path = join(folder, "test.json");
  await writeFile(path, JSON.stringify(buildPromtoolTest(alerts, series)));
  const { ok, output } = await run("promtool", ["test", "rules", path]);
  await rm(folder, { recursive: true });
  const silent = new Set(Array.from(output.matchAll(/alertname=\\"(\w+)\\".*time:/g), ([, alert]) => alert));
  if (!ok && silent.size === 0) throw new Error(output);
  return alerts.filter((alert) => !silent.has(alert));
}

function withTarget(name: string): string {
  const [metric = "", labels = ""] = name.split(/\{(.*)\}$/);
  return `${metric}{${['job="snap"', 'instance="127.0.0.1:3000"', ...(labels === "" ? [] : [labels])].join(",")}}`;
}

function valuesOf(name: string, before: number | undefined, after: number | undefined): string {
  if (!/_(total|bucket|count|sum)(\{|$)/.test(name)) return `${before ?? "_"} ${after ?? "_"}x180`;
  return `${before ?? 0}+${(after ?? 0) - (before ?? 0)}x180`;
}

/** Returns a test for promtool that fails for each alert that does not fire. JSON is valid YAML. */
function buildPromtoolTest(alerts: readonly string[], series: readonly object[]): object {
  return {
    rule_files: [join(ROOT, "packages/server/deploy/alerts.yml")],
    evaluation_interval: "1m",
    tests: [
      {
        interval: "1m",
        input_series: series,
        promql_expr_test: alerts.map((alert) => ({
          expr: `group(ALERTS{alertname="${alert}", alertstate="firing"})`,
          eval_time: "180m",
          exp_samples: [{ labels: "{}", value: 1 }],
        })),
      },
    ],
  };
}
