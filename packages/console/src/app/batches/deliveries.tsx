import type { DeliveryAttemptDocument } from "@snap/protocol";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { formatDuration } from "../format.ts";
import { useAction } from "../hooks/use-action.ts";
import { usePages } from "../hooks/use-pages.ts";
import { Badge } from "../ui/badge.tsx";
import { notify } from "../ui/notices.tsx";
import { PageList } from "../ui/pages.tsx";
import { Empty, Failure } from "../ui/states.tsx";
import { Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import type { BatchSource, BatchView } from "./batch-source.ts";

interface DeliveriesProps {
  readonly batch: BatchView;
  readonly source: BatchSource;
  readonly onSent: () => void;
}

export function Deliveries({ batch, source, onSent }: DeliveriesProps): JSX.Element {
  const { id, webhook, status } = batch;
  const resend = useAction(async () => {
    await source.resend(id);
    notify("Sending the webhook again. The attempt will appear here.");
    onSent();
  });
  return (
    <section class="section" aria-labelledby="deliveries">
      <div class="section-head">
        <h2 id="deliveries">Webhook</h2>
        {webhook !== null && (
          <button
            type="button"
            class="button"
            onClick={() => resend.run()}
            disabled={status === "pending" || resend.isRunning}
          >
            Send again
          </button>
        )}
      </div>
      {resend.failure !== null && <Failure failure={resend.failure} title="Cannot send the webhook" />}
      {webhook === null ? (
        <div class="panel">
          <Empty title="This batch has no webhook." />
        </div>
      ) : (
        <>
          <p class="muted">
            To <span class="any-text">{webhook.url}</span>
          </p>
          <Attempts batch={batch} source={source} />
        </>
      )}
    </section>
  );
}

function Attempts({ batch, source }: Pick<DeliveriesProps, "batch" | "source">): JSX.Element {
  const pages = usePages<DeliveryAttemptDocument>(batch.id, (query, signal) =>
    source.deliveries(batch.id, query, signal),
  );
  // reloads the attempts with the batch: another one may have ended
  const shown = useRef(batch);
  useEffect(() => {
    if (shown.current !== batch) pages.reload();
    shown.current = batch;
  }, [batch]);
  return (
    <PageList
      pages={pages}
      noun="attempt"
      empty={
        <Empty title="No attempts yet.">
          <p>The webhook is sent when every item is done or failed.</p>
        </Empty>
      }
    >
      {(attempts) => (
        <Table
          caption="Attempts"
          rows={attempts}
          rowKey={({ id }) => id}
          columns={[
            { label: "Time", cell: ({ at }) => <Time at={at} /> },
            { label: "Attempt", cell: ({ attempt }) => attempt, isNumber: true },
            { label: "Result", cell: (attempt) => <AttemptBadge attempt={attempt} /> },
            { label: "Duration", cell: ({ duration_ms }) => formatDuration(duration_ms), isNumber: true },
            { label: "Response", cell: ({ body }) => <ResponseBody body={body} />, isWide: true },
          ]}
        />
      )}
    </PageList>
  );
}

function AttemptBadge({ attempt }: { readonly attempt: DeliveryAttemptDocument }): JSX.Element {
  const { delivered, status, failure } = attempt;
  return <Badge tone={delivered ? "good" : "bad"}>{status ?? failure ?? "no response"}</Badge>;
}

function ResponseBody({ body }: Pick<DeliveryAttemptDocument, "body">): JSX.Element {
  if (body === null || body === "") return <span class="muted">–</span>;
  return (
    <details class="body">
      <summary>{firstLine(body)}</summary>
      <pre tabIndex={0}>{body}</pre>
    </details>
  );
}

const LINE_CHARACTERS_MAX = 50;

function firstLine(body: string): string {
  const [line = ""] = body.trim().split("\n");
  return line.length > LINE_CHARACTERS_MAX ? `${line.slice(0, LINE_CHARACTERS_MAX)}…` : line;
}
