import type { JSX } from "preact";
import { formatTime } from "../format.ts";

/** An instant in the viewer's time zone. The tooltip shows it in UTC. */
export function Time({
  at,
  placeholder = "–",
}: {
  readonly at: string | null;
  readonly placeholder?: string;
}): JSX.Element {
  if (at === null) return <span class="muted">{placeholder}</span>;
  return (
    <time dateTime={at} title={at}>
      {formatTime(new Date(at), new Date())}
    </time>
  );
}
