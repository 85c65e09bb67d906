import type { UsageReport } from "@snap/protocol";
import type { JSX } from "preact";
import { formatCount, formatShare } from "../format.ts";
import { Stat } from "../ui/facts.tsx";
import { Time } from "../ui/time.tsx";

/** Credits, plan and limits of an account. */
export function CreditFigures({ report }: { readonly report: UsageReport }): JSX.Element {
  const { credits, plan, period, rate_limit: limits } = report;
  return (
    <dl class="stats">
      <Stat
        label="Credits left"
        value={formatCount(credits.remaining)}
        note={
          <meter
            aria-label="Credits left"
            min={0}
            max={Math.max(1, credits.total)}
            value={credits.remaining}
            title={`${formatShare(credits.remaining, credits.total)} left`}
          />
        }
      />
      <Stat
        label="Credits used"
        value={formatCount(credits.used)}
        note={`${formatShare(credits.used, credits.total)} of ${formatCount(credits.total)}`}
      />
      <Stat
        label="Plan"
        value={<span class="stat-text">{plan?.name ?? "None"}</span>}
        note={
          period === null ? (
            "no period"
          ) : (
            <>
              resets <Time at={period.resets_at} />
            </>
          )
        }
      />
      <Stat
        label="Renders per minute"
        value={formatCount(limits.requests_per_minute)}
        note={`${formatCount(limits.cached_requests_per_minute)} cache hits per minute`}
      />
    </dl>
  );
}
