import type { AdminHealth } from "@snap/protocol";
import type { JSX } from "preact";
import { formatBytes, formatCount, formatNoun, formatShare } from "../format.ts";
import { todayUtc } from "../requests/time-range.ts";
import { toHash } from "../routing/route.ts";
import { Stat } from "../ui/facts.tsx";
import { Time } from "../ui/time.tsx";

export function StateFigures({ health }: { readonly health: AdminHealth }): JSX.Element {
  const { today, renders, batches, cache, history } = health;
  const served = today.renders + today.hits;
  return (
    <>
      {history && (
        <dl class="stats">
          <Stat
            label="Renders today (UTC)"
            value={formatCount(today.renders)}
            note={formatNoun(today.credits, "credit")}
          />
          <Stat
            label="Hit rate today (UTC)"
            value={formatShare(today.hits, served)}
            note={served === 0 ? "no renders" : `${formatNoun(today.hits, "hit")} of ${formatCount(served)}`}
          />
          <Stat
            label="Failures today (UTC)"
            value={
              <a href={toHash(["requests"], { failed: "true", ...todayUtc(new Date()) })}>
                {formatCount(today.failures)}
              </a>
            }
            note={
              served + today.failures === 0
                ? "no requests"
                : `${formatShare(today.failures, served + today.failures)} of requests`
            }
          />
        </dl>
      )}
      <dl class="stats">
        <Stat
          label="Rendering now"
          value={formatCount(renders.running)}
          note={renders.waiting === 0 ? "none waiting" : `${formatCount(renders.waiting)} waiting`}
        />
        <BatchStat batches={batches} />
        <CacheStat cache={cache} />
        <Stat
          label="Last backup"
          value={
            <span class="stat-text">
              <Time at={health.last_backup_at} placeholder="none recorded" />
            </span>
          }
        />
      </dl>
    </>
  );
}

/** `batches` is `null` if the service could not read them within a second. */
function BatchStat({ batches }: Pick<AdminHealth, "batches">): JSX.Element {
  const label = "Batch items queued";
  if (batches === null)
    return <Stat label={label} value="–" note="unknown: the storage is slow or failing" />;
  const { queued_items: queued, rendering_items: rendering, open_deliveries: deliveries } = batches;
  return (
    <Stat
      label={label}
      value={<a href={toHash(["batches"], { finished: "false" })}>{formatCount(queued)}</a>}
      note={`${formatCount(rendering)} rendering, ${formatNoun(deliveries, "pending webhook")}`}
    />
  );
}

function CacheStat({ cache }: Pick<AdminHealth, "cache">): JSX.Element {
  if (cache === null) return <Stat label="Cache" value="–" note="size unknown" />;
  const { bytes, max_bytes: max, free_bytes: free } = cache;
  const notes = [
    max === null ? null : `${formatShare(bytes, max)} of ${formatBytes(max)}`,
    free === null ? null : `${formatBytes(free)} free`,
  ];
  return (
    <Stat label="Cache" value={formatBytes(bytes)} note={notes.filter((note) => note !== null).join(", ")} />
  );
}
