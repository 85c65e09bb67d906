import type { ComponentChildren, JSX } from "preact";

export type Tone = "good" | "bad" | "warn" | "neutral" | "accent";

/** A state in one or two words. Its dot is decorative. */
export function Badge({
  tone,
  children,
}: {
  readonly tone: Tone;
  readonly children: ComponentChildren;
}): JSX.Element {
  return <span class={`badge ${tone}`}>{children}</span>;
}
