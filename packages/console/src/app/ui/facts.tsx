import type { ComponentChildren, JSX } from "preact";

export interface Fact {
  readonly label: string;
  readonly value: ComponentChildren;
}

interface FactsProps {
  readonly facts: readonly Fact[];
  /** Arranges the entries side by side, each value below its label. */
  readonly isWide?: boolean;
}

/** Labels with values, such as the fields of a request. */
export function Facts({ facts, isWide = false }: FactsProps): JSX.Element {
  return (
    <dl class={isWide ? "facts wide" : "facts"}>
      {facts.map(({ label, value }) => (
        <div key={label} class="fact">
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface StatProps {
  readonly label: string;
  readonly value: ComponentChildren;
  /** Unit or context, shown below the figure. */
  readonly note?: ComponentChildren;
}

/** One large figure. */
export function Stat({ label, value, note }: StatProps): JSX.Element {
  return (
    <div class="stat">
      <dt>{label}</dt>
      <dd class="stat-value">{value}</dd>
      {note !== undefined && <dd class="stat-note">{note}</dd>}
    </div>
  );
}
