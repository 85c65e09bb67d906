import { responseLine } from "@snap/engine/internals";
import type {
  AdminBatch,
  AdminBatchItem,
  AdminBatchSummary,
  AdminBatchWebhook,
  DeliveryAttemptDocument,
} from "@snap/protocol";
import { Option, type Command } from "commander";
import type { BatchQuery } from "../admin/inputs.ts";
import { printable } from "../operations/printable.ts";
import { withOperations, withJson } from "./admin.ts";
import { printList, withPaging } from "./print-list.ts";
import { formatInstant, formatNoun } from "../format.ts";
import { formatTable, printJson, printLines } from "./output.ts";

/** Attempts that `batches show` prints: more than the default schedule makes. */
const SHOWN_ATTEMPTS_MAX = 20;

interface ListFilters {
  readonly account?: string;
  readonly status?: "pending" | "complete";
  readonly delivery?: BatchQuery["delivery"];
}

/** `snap-server batches`: lists and shows batches, and sends webhooks again. */
export function addBatches(program: Command): void {
  const batches = program.command("batches").description("inspect batches and send their webhooks again");

  withPaging(batches.command("list"))
    .description("list batches, newest first")
    .option("--account <account>", "only batches of this account: its id or email address")
    .addOption(
      new Option("--status <status>", "only batches with this status").choices(["pending", "complete"]),
    )
    .addOption(
      new Option(
        "--delivery <status>",
        "only batches whose webhook has this status; abandoned means that there are no more attempts",
      ).choices(["due", "sending", "delivered", "abandoned"]),
    )
    .action(listBatches);

  withJson(batches.command("show"))
    .description("show a batch, its items, and the latest attempts to deliver its webhook")
    .argument("<id>", "id of the batch")
    .action(showBatch);

  withJson(batches.command("redeliver"))
    .description("send a finished batch's webhook again, with the same id and a new signature")
    .argument("<id>", "id of the batch")
    .addHelpText(
      "after",
      "\nA running worker sends it within seconds; if none is running, it is sent when a worker next starts.",
    )
    .action(redeliverBatch);
}

function listBatches({ account, status, delivery }: ListFilters, command: Command): Promise<void> {
  const filter = { account, delivery, ...(status !== undefined && { finished: status === "complete" }) };
  return withOperations(async ({ operations }) => {
    // an unknown account would have an empty list
    if (account !== undefined) await operations.accounts.get(account);
    await printList(command, {
      name: "batches",
      readPage: (page) => operations.batches.page({ ...page, ...filter }),
      heading: ["ID", "ACCOUNT", "CREATED", "STATUS", "FAILED", "WEBHOOK"],
      row: summaryRow,
      emptyMessage: [
        "No batches. They are submitted with POST /v1/renders, and deleted after SNAP_BATCH_RETENTION.",
      ],
    });
  });
}

function summaryRow(batch: AdminBatchSummary): string[] {
  const { queued, rendering, done, failed } = batch.items;
  const finished = done + failed;
  return [
    batch.id,
    batch.account_id,
    formatInstant(batch.created_at, ""),
    statusLine(batch, { finished, all: finished + queued + rendering }),
    String(failed),
    deliveryLine(batch.webhook),
  ];
}

function redeliverBatch(id: string, options: { json?: true }): Promise<void> {
  return withOperations(async ({ operations }) => {
    const batch = await operations.batches.redeliver(id);
    if (options.json) printJson(batch);
    else printLines(`The webhook of ${id} is due again. Show its delivery: snap-server batches show ${id}`);
  });
}

function showBatch(id: string, options: { json?: true }): Promise<void> {
  return withOperations(async ({ operations }) => {
    const batch = await operations.batches.get(id);
    const attempts = batch.webhook === null ? [] : await operations.batches.attempts(id, SHOWN_ATTEMPTS_MAX);
    if (options.json) return printJson({ ...batch, deliveries: attempts });
    const { items, webhook } = batch;
    printLines(
      formatTable([
        ["id", batch.id],
        ["account", batch.account_id],
        ["token", String(batch.token_id)],
        ["status", statusLine(batch, { finished: countFinished(items), all: items.length })],
        ["created", formatInstant(batch.created_at, "")],
        ["finished", formatInstant(batch.finished_at, "not yet")],
        ["deletion", formatInstant(batch.prunes_at, "after it finishes")],
        ["webhook", webhook === null ? "none" : printable(webhook.url)],
        ["delivery", deliveryLine(webhook)],
      ]),
      "",
      formatTable([["ID", "STATUS", "CODE", "STARTS", "NEXT START", "COST", "URL"], ...items.map(itemRow)]),
      ...(attempts.length === 0
        ? []
        : ["", formatTable([["ATTEMPT", "AT", "STATUS", "TIME", "RESPONSE"], ...attempts.map(attemptRow)])]),
    );
  });
}

function attemptRow({
  attempt,
  at,
  status,
  failure,
  duration_ms: durationMs,
  body,
}: DeliveryAttemptDocument): string[] {
  const response = responseLine(body ?? "");
  return [String(attempt), formatInstant(at, ""), String(status ?? failure), `${durationMs} ms`, response];
}

function countFinished(items: readonly AdminBatchItem[]): number {
  return items.filter(({ status }) => status === "done" || status === "failed").length;
}

function itemRow(item: AdminBatchItem): string[] {
  const { id, status, error, starts, due_at: dueAt, credit_cost: cost, url } = item;
  const [tries, next] = [String(starts ?? ""), formatInstant(dueAt, "")];
  return [id, status, error?.code ?? "", tries, next, String(cost ?? ""), printable(url)];
}

function statusLine(
  { status }: Pick<AdminBatch, "status">,
  { finished, all }: { readonly finished: number; readonly all: number },
): string {
  return status === "pending" ? `pending, ${finished} of ${all} finished` : "complete";
}

function deliveryLine(webhook: AdminBatchWebhook | null): string {
  if (webhook === null) return "none";
  if (webhook.status === "waiting") return "once every item is finished";
  const { attempts } = webhook;
  return `${describeDelivery(webhook)}, ${formatNoun(attempts, "attempt")}`;
}

function describeDelivery({ status, ...webhook }: AdminBatchWebhook): string {
  if (status === "due") return `next attempt ${formatInstant(webhook.next_attempt_at, "")}`;
  if (status === "delivered") return `delivered ${formatInstant(webhook.delivered_at, "")}`;
  return status === "sending" ? "being sent" : status;
}
