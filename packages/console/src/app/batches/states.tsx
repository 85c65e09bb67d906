import type { BatchSummaryDocument } from "@snap/protocol";
import type { JSX } from "preact";
import { formatCount, formatNoun } from "../format.ts";
import { Badge, type Tone } from "../ui/badge.tsx";
import type { BatchRow, BatchView, ItemView } from "./batch-source.ts";

type WebhookState = NonNullable<BatchSummaryDocument["webhook"]>["status"];

const WEBHOOK_STATES: Readonly<Record<WebhookState, readonly [tone: Tone, text: string]>> = {
  waiting: ["neutral", "Waiting for the batch"],
  due: ["warn", "Due"],
  sending: ["accent", "Sending"],
  delivered: ["good", "Delivered"],
  abandoned: ["bad", "Abandoned"],
};

export function WebhookBadge({ state }: { readonly state: WebhookState }): JSX.Element {
  const [tone, text] = WEBHOOK_STATES[state];
  return <Badge tone={tone}>{text}</Badge>;
}

export function BatchBadge({ status }: Pick<BatchView, "status">): JSX.Element {
  return status === "complete" ? <Badge tone="good">Complete</Badge> : <Badge tone="accent">Pending</Badge>;
}

const ITEM_TONES: Readonly<Record<string, Tone>> = { done: "good", failed: "bad", rendering: "accent" };

/** Shows the status of an item, or its error code. */
export function ItemBadge({ item }: { readonly item: Pick<ItemView, "status" | "error"> }): JSX.Element {
  return <Badge tone={ITEM_TONES[item.status] ?? "neutral"}>{item.error?.code ?? item.status}</Badge>;
}

/** `3 of 20 done, 1 failed` */
export function progressText({ queued, rendering, done, failed }: BatchRow["items"]): string {
  const total = queued + rendering + done + failed;
  const failures = failed === 0 ? "" : `, ${formatCount(failed)} failed`;
  return done === total
    ? formatNoun(total, "item")
    : `${formatCount(done)} of ${formatCount(total)} done${failures}`;
}
