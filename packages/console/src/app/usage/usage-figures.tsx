import type { AdminUsage } from "@snap/protocol";
import type { JSX } from "preact";
import { formatCount, formatDuration, formatNoun, formatShare } from "../format.ts";
import { Stat } from "../ui/facts.tsx";

/** The totals of all days in the range. */
export function UsageFigures({ entries }: { readonly entries: readonly AdminUsage[] }): JSX.Element {
  const sum = (name: "renders" | "hits" | "failures" | "credits"): number =>
    entries.reduce((total, entry) => total + entry[name], 0);
  const [renders, hits, failures] = [sum("renders"), sum("hits"), sum("failures")];
  const totalRenderMs = entries.reduce(
    (total, entry) => total + (entry.mean_render_ms ?? 0) * entry.renders,
    0,
  );
  const longest = Math.max(0, ...entries.map((entry) => entry.longest_render_ms));
  return (
    <dl class="stats">
      <Stat label="Renders" value={formatCount(renders)} note={formatNoun(sum("credits"), "credit")} />
      <Stat
        label="Cache hits"
        value={formatCount(hits)}
        note={
          renders + hits === 0
            ? "no successful requests"
            : `${formatShare(hits, renders + hits)} of successful requests`
        }
      />
      <Stat
        label="Failures"
        value={formatCount(failures)}
        note={
          renders + hits + failures === 0
            ? "no requests"
            : `${formatShare(failures, renders + hits + failures)} of requests`
        }
      />
      <Stat
        label="Mean render time"
        value={renders === 0 ? "–" : formatDuration(totalRenderMs / renders)}
        note={renders === 0 ? "no renders" : `longest ${formatDuration(longest)}`}
      />
    </dl>
  );
}
