import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { AccountLink } from "../accounts/account-link.tsx";
import { useAccountNames } from "../accounts/account-names.ts";
import { useLoad } from "../hooks/use-load.ts";
import { usePoll } from "../hooks/use-poll.ts";
import type { ScreenProps } from "../layout/screens.ts";
import { toHash } from "../routing/route.ts";
import { useSession } from "../session/session.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { Facts, type Fact } from "../ui/facts.tsx";
import { PageHead } from "../ui/page-head.tsx";
import { WhenLoaded } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { batchSourceOf, type BatchView } from "./batch-source.ts";
import { Deliveries } from "./deliveries.tsx";
import { ItemTable } from "./item-table.tsx";
import { BatchBadge, WebhookBadge } from "./states.tsx";

const POLL_MS = 2_000;
/**
 * How long the screen polls after the webhook is resent and, for a token holder, after the batch
 * finishes: only operators see whether an attempt is due.
 */
const WATCH_MS = 60_000;

export function BatchScreen({ id }: ScreenProps): JSX.Element {
  const source = batchSourceOf(useSession());
  const batch = useLoad(id, (signal) => source.get(id, signal));
  const [lastResentAtMs, setLastResentAtMs] = useState(-WATCH_MS);
  const wasResentRecently = performance.now() - lastResentAtMs < WATCH_MS;
  const shouldPoll = batch.data !== null && (wasResentRecently || canStillChange(batch.data));
  usePoll(batch.reload, shouldPoll && !batch.isLoading ? POLL_MS : null);
  const watch = (): void => {
    setLastResentAtMs(performance.now());
    batch.reload();
  };
  return (
    <>
      <PageHead
        title="Batch"
        summary={
          <>
            <code class="any-text">{id}</code> <CopyButton text={id} what="Batch id" />
          </>
        }
        parent={{ label: "Batches", href: toHash(["batches"]) }}
      />
      <WhenLoaded loaded={batch} what="the batch">
        {(data) => (
          <div class="stack">
            <div class="panel padded">
              <BatchFacts batch={data} />
            </div>
            <ItemTable items={data.items} />
            <Deliveries batch={data} source={source} onSent={watch} />
          </div>
        )}
      </WhenLoaded>
    </>
  );
}

/** Whether a worker may still change the batch. */
function canStillChange({ status, finished_at: finishedAt, webhook }: BatchView): boolean {
  if (status === "pending") return true;
  if (webhook === null || finishedAt === null) return false;
  if (webhook.state !== null) return webhook.state === "due" || webhook.state === "sending";
  return webhook.delivered_at === null && Date.now() - Date.parse(finishedAt) < WATCH_MS;
}

function BatchFacts({ batch }: { readonly batch: BatchView }): JSX.Element {
  const names = useAccountNames();
  const { account, webhook, items } = batch;
  const facts: Fact[] = [
    { label: "Status", value: <BatchBadge {...batch} /> },
    {
      label: "Items",
      value: `${items.filter(({ status }) => status === "done").length} of ${items.length} done`,
    },
    { label: "Submitted", value: <Time at={batch.created_at} /> },
    { label: "Finished", value: <Time at={batch.finished_at} placeholder="not yet" /> },
    {
      label: "Scheduled deletion",
      value: <Time at={batch.prunes_at} placeholder="set when the batch finishes" />,
    },
    ...(account === null
      ? []
      : [
          { label: "Account", value: <AccountLink id={account.id} names={names} /> },
          { label: "Token", value: account.tokenId },
        ]),
    ...(webhook?.state == null ? [] : [{ label: "Webhook", value: <WebhookBadge state={webhook.state} /> }]),
    ...(webhook?.next_attempt_at == null
      ? []
      : [{ label: "Next attempt", value: <Time at={webhook.next_attempt_at} /> }]),
  ];
  return <Facts facts={facts} isWide />;
}
