import { AdminError } from "@snap/engine";
import type { BatchRecord, DeliveryState, ItemRecord, ItemState } from "@snap/engine/ports";
import type { Command } from "commander";
import { printable } from "../operations/printable.ts";
import { administer, withJson } from "./admin.ts";
import { batchDocument } from "./documents.ts";
import { formatInstant, formatTable, printJson, printLines } from "./output.ts";

/** `snap-server batches`: shows the state of a batch. */
export function addBatches(program: Command): void {
  const batches = program.command("batches").description("inspect batches");

  withJson(batches.command("show"))
    .description("show a batch, its items and the delivery of its webhook")
    .argument("<id>", "id of the batch")
    .action(showBatch);
}

function showBatch(id: string, options: { json?: true }): Promise<void> {
  return administer(async ({ engine }) => {
    const batch = await engine.batches.inspect(id);
    if (batch === null) throw new AdminError(`unknown batch ${id}`);
    if (options.json) return printJson(batchDocument(batch));
    const { finishedAt, items } = batch;
    printLines(
      formatTable([
        ["id", batch.id],
        ["account", batch.accountId],
        ["token", String(batch.tokenId)],
        [
          "status",
          finishedAt === null ? `pending, ${countFinished(items)} of ${items.length} finished` : "complete",
        ],
        ["created", formatInstant(batch.createdAt, "")],
        ["finished", formatInstant(finishedAt, "not yet")],
        ["deleted", formatInstant(batch.prunesAt, "after it finishes")],
        ["webhook", batch.webhookUrl === null ? "none" : printable(batch.webhookUrl)],
        ["delivery", deliveryLine(batch)],
      ]),
      "",
      formatTable([["ID", "STATUS", "CODE", "STARTS", "NEXT", "COST", "URL"], ...items.map(itemRow)]),
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

function deliveryLine({ webhookUrl, delivery }: BatchRecord): string {
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
      return "given up";
  }
}
