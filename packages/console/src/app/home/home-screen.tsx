import type { AdminHealth } from "@snap/protocol";
import type { JSX } from "preact";
import { useLoad } from "../hooks/use-load.ts";
import { usePoll } from "../hooks/use-poll.ts";
import { useAdmin } from "../session/session.ts";
import { Badge } from "../ui/badge.tsx";
import { PageHead } from "../ui/page-head.tsx";
import { WhenLoaded } from "../ui/states.tsx";
import { ActivityChart } from "./activity-chart.tsx";
import { FailuresByCode } from "./failures-by-code.tsx";
import { Problems } from "./problems.tsx";
import { StateFigures } from "./state-figures.tsx";

const POLL_MS = 10_000;

export function HomeScreen(): JSX.Element {
  const admin = useAdmin();
  const health = useLoad("health", admin.health);
  // polls only after the previous response
  usePoll(health.reload, health.isLoading ? null : POLL_MS);
  return (
    <>
      <PageHead
        title="Home"
        summary={health.data === null ? undefined : `Version ${health.data.version}`}
        actions={
          health.data !== null && <ReadyBadge health={health.data} isCurrent={health.failure === null} />
        }
      />
      <WhenLoaded loaded={health} what="the state of the service">
        {(data) => (
          <div class="stack">
            <Problems problems={data.problems} />
            <StateFigures health={data} />
            {data.history ? (
              <div class="columns wide-left">
                <ActivityChart activity={data.activity} />
                <FailuresByCode failures={data.failures} />
              </div>
            ) : (
              <p class="banner">
                The service does not record requests. Set <code>SNAP_HISTORY=7d</code> to see activity,
                requests and usage here.
              </p>
            )}
          </div>
        )}
      </WhenLoaded>
    </>
  );
}

interface ReadyBadgeProps {
  readonly health: AdminHealth;
  /** `false` if the latest reload failed. */
  readonly isCurrent: boolean;
}

function ReadyBadge({ health: { ready, problems }, isCurrent }: ReadyBadgeProps): JSX.Element {
  if (!isCurrent) return <Badge tone="neutral">State unknown</Badge>;
  if (!ready) return <Badge tone="bad">Not ready</Badge>;
  if (problems.some(({ status }) => status === "problem"))
    return <Badge tone="warn">Ready, with problems</Badge>;
  return <Badge tone="good">Ready</Badge>;
}
