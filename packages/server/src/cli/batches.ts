import { batchNotFound } from "@snap/engine/internals";
import type {
  BatchFilter,
  BatchRecord,
  BatchSummary,
  DeliveryState,
  ItemRecord,
  ItemState,
} from "@snap/engine/ports";
import { Option, type Command } from "commander";
import { printable } from "../operations/printable.ts";
import { administer, withJson } from "./admin.ts";
import { batchDocument, batchSummaryDocument } from "./documents.ts";
import { printList, withPaging } from "./lists.ts";
import { formatInstant, formatTable, printJson, printLines } from "./output.ts";

interface ListFilters {
  readonly account?: string;
  readonly status?: "pending" | "complete";
  readonly delivery?: DeliveryState["status"];
}

/** `snap-server batches`: lists and shows batches, and sends webhooks again. */
export function addBatches(program: Command): void {
  const batches = program.command("batches").description("inspect batches and send their webhooks again");

  withPaging(batches.command("list"))
    .description("list batches, newest first")
    .option("--account <account>", "only those of this account: its id or email address")
    .addOption(
      new Option("--status <status>", "only those with this status").choices(["pending", "complete"]),
    )
    .addOption(
      new Option(
        "--delivery <status>",
        "only those whose webhook has this status; abandoned means that no attempt follows",
      ).choices(["due", "sending", "delivered", "abandoned"]),
    )
    .action(listBatches);

  withJson(batches.command("show"))
    .description("show a batch, its items and the delivery of its webhook")
    .argument("<id>", "id of the batch")
    .action(showBatch);

  withJson(batches.command("redeliver"))
    .description("send the webhook of a finished batch again: the same id, a new signature")
    .argument("<id>", "id of the batch")
    .addHelpText(
      "after",
      "\nA running worker sends it within seconds; if none is running, it is sent when a worker next starts.",
    )
    .action(redeliverBatch);
}

function listBatches({ account: accountId, status, delivery }: ListFilters, command: Command): Promise<void> {
  const filter: BatchFilter = {
    accountId,
    delivery,
    ...(status !== undefined && { isFinished: status === "complete" }),
  };
  return administer(({ engine }) =>
    printList(command, {
      name: "batches",
      readPage: (request) => engine.batches.page({ ...request, ...filter }),
      document: batchSummaryDocument,
      heading: ["ID", "ACCOUNT", "CREATED", "STATUS", "FAILED", "WEBHOOK"],
      row: summaryRow,
      whenEmpty: [
        "No batches. They are submitted with POST /v1/renders, and deleted after SNAP_BATCH_RETENTION.",
      ],
    }),
  );
}

function summaryRow(batch: BatchSummary): string[] {
  const { queued, rendering, done, failed } = batch.items;
  const finished = done + failed;
  return [
    batch.id,
    batch.accountId,
    formatInstant(batch.createdAt, ""),
    statusLine(batch, { finished, all: finished + queued + rendering }),
    String(failed),
    deliveryLine(batch),
  ];
}

function redeliverBatch(id: string, options: { json?: true }): Promise<void> {
  return administer(async ({ engine }) => {
    const batch = await engine.batches.redeliver(id);
    if (options.json) printJson(batchDocument(batch));
    else printLines(`The webhook of ${id} is due again. Show its delivery: snap-server batches show ${id}`);
  });
}

function showBatch(id: string, options: { json?: true }): Promise<void> {
  return administer(async ({ engine }) => {
    const batch = await engine.batches.inspect(id);
    if (batch === null) throw batchNotFound(id);
    if (options.json) return printJson(batchDocument(batch));
    const { finishedAt, items } = batch;
    printLines(
      formatTable([
        ["id", batch.id],
        ["account", batch.accountId],
        ["token", String(batch.tokenId)],
        ["status", statusLine(batch, { finished: countFinished(items), all: items.length })],
        ["created", formatInstant(batch.createdAt, "")],
        ["finished", formatInstant(finishedAt, "not yet")],
        ["deletion", formatInstant(batch.prunesAt, "after it finishes")],
        ["webhook", batch.webhookUrl === null ? "none" : printable(batch.webhookUrl)],
        ["delivery", deliveryLine(batch)],
      ]),
      "",
      formatTable([["ID", "STATUS", "CODE", "STARTS", "NEXT START", "COST", "URL"], ...items.map(itemRow)]),
    );
  });
}

function countFinished(items: readonly ItemRecord[]): number {
  return items.filter(({ state: { status } }) => status === "done" || status === "failed").length;
}

function itemRow({ id, parameters, state }: ItemRecord): string[] {
  const { starts, next, code, cost } = describeState(state);
  return [id, state.status, code, starts, next, cost, printable(parameters.url)];
}

function describeState(state: ItemState): Record<"starts" | "next" | "code" | "cost", string> {
  switch (state.status) {
    case "queued":
      return { starts: String(state.starts), next: formatInstant(state.dueAt, ""), code: "", cost: "" };
    case "rendering":
      return { starts: String(state.starts), next: "", code: "", cost: "" };
    case "done":
      return { starts: "", next: "", code: "", cost: String(state.creditCost) };
    case "failed":
      return { starts: "", next: "", code: state.code, cost: "0" };
  }
}

function statusLine(
  { finishedAt }: Pick<BatchRecord, "finishedAt">,
  { finished, all }: { readonly finished: number; readonly all: number },
): string {
  return finishedAt === null ? `pending, ${finished} of ${all} finished` : "complete";
}

function deliveryLine({ webhookUrl, delivery }: Pick<BatchRecord, "webhookUrl" | "delivery">): string {
  if (webhookUrl === null) return "none";
  if (delivery === null) return "once every item is finished";
  const { attempts } = delivery;
  return `${describeDelivery(delivery)}, ${attempts} ${attempts === 1 ? "attempt" : "attempts"}`;
}

function describeDelivery(delivery: DeliveryState): string {
  switch (delivery.status) {
    case "due":
      return `next attempt ${formatInstant(delivery.dueAt, "")}`;
    case "sending":
      return "being sent";
    case "delivered":
      return `delivered ${formatInstant(delivery.deliveredAt, "")}`;
    case "abandoned":
      return "abandoned";
  }
}
