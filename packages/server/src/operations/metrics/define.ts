import { Counter, Gauge, Histogram, type Registry } from "prom-client";

/** The meaning of each label value, or one description if there are too many to list. Their number is bounded. */
export type LabelValues = string | Readonly<Record<string, string>>;

/** The definition of a metric: how it is exposed, and its text in the reference. */
export interface MetricDefinition<Label extends string> {
  readonly name: `snap_${string}`;
  /** Ends with a full stop. */
  readonly help: string;
  readonly labels?: Readonly<Record<Label, LabelValues>>;
}

/** A defined metric; `register` creates it in a registry. */
export interface Metric<Registered = unknown> extends MetricDefinition<string> {
  readonly type: "counter" | "gauge" | "histogram";
  register(registry: Registry): Registered;
}

/** Defines a counter. If all values of its only label are listed, each starts at 0, so no first increase is missed. */
export function counter<Label extends string = never>(
  definition: MetricDefinition<Label>,
): Metric<Counter<Label>> {
  const { name, help, labels } = definition;
  return {
    ...definition,
    type: "counter",
    register(registry) {
      const created = new Counter({ name, help, labelNames: namesOf<Label>(labels), registers: [registry] });
      for (const label of listedLabels(labels)) created.inc(label, 0);
      return created;
    },
  };
}

/** Defines a gauge. */
export function gauge<Label extends string = never>(
  definition: MetricDefinition<Label>,
): Metric<Gauge<Label>> {
  const { name, help, labels } = definition;
  return {
    ...definition,
    type: "gauge",
    register: (registry) =>
      new Gauge({ name, help, labelNames: namesOf<Label>(labels), registers: [registry] }),
  };
}

/** Defines a histogram. `buckets` contains the upper bounds of its buckets, in seconds. */
export function histogram<Label extends string = never>(
  definition: MetricDefinition<Label>,
  buckets: readonly number[],
): Metric<Histogram<Label>> {
  const { name, help, labels } = definition;
  return {
    ...definition,
    type: "histogram",
    register: (registry) =>
      new Histogram({
        name,
        help,
        labelNames: namesOf<Label>(labels),
        buckets: [...buckets],
        registers: [registry],
      }),
  };
}

/** Registers metrics, and returns them by the same names. */
export function registerAll<Definitions extends Readonly<Record<string, Metric>>>(
  metrics: Definitions,
  registry: Registry,
): { readonly [Name in keyof Definitions]: ReturnType<Definitions[Name]["register"]> } {
  const registered = Object.entries(metrics).map(([name, metric]) => [name, metric.register(registry)]);
  return Object.fromEntries(registered) as ReturnType<typeof registerAll<Definitions>>;
}

/** Sets a gauge without labels, or removes it if its value is unknown. */
export function setOrRemove(metric: Gauge<never>, value: number | null | undefined): void {
  if (typeof value === "number") metric.set(value);
  else metric.remove();
}

function namesOf<Label extends string>(labels: Readonly<Record<Label, LabelValues>> | undefined): Label[] {
  return Object.keys(labels ?? {}) as Label[];
}

function listedLabels<Label extends string>(
  labels: Readonly<Record<Label, LabelValues>> | undefined,
): Record<Label, string>[] {
  const [label, ...otherLabels] = Object.entries<LabelValues>(labels ?? {});
  if (label === undefined || otherLabels.length > 0 || typeof label[1] === "string") return [];
  const [name, values] = label;
  return Object.keys(values).map((value) => ({ [name]: value }) as Record<Label, string>);
}
