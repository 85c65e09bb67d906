import { createHmac } from "node:crypto";
import type { BatchRecord } from "../../src/ports/batches.ts";
import type { TestAccount } from "./test-accounts.ts";
import type { Receipt } from "./history.ts";
import type { World } from "./world.ts";

const MAX_ATTEMPTS = 3;

/** The codes that failed items can have. A storage failure is retried, because it is unrelated to the page. */
const ITEM_FAILURES: ReadonlySet<string> = new Set([
  "blocked_host",
  "credit_limit_reached",
  "no_active_plan",
  "rate_limited",
  "render_failed",
  "render_timeout",
  "target_unreachable",
  "upstream_error",
  "upstream_quota_exceeded",
  "upstream_rate_limited",
]);

/** Returns whether all batches are submitted and finished, and webhooks delivered or abandoned. */
export function isWorkDone({ history }: World): boolean {
  for (const { process } of history.submissions) if (process.isAlive) return false;
  return [...history.batches.values()].every(
    ({ finishedAt, delivery }) =>
      finishedAt !== null &&
      (delivery === null || delivery.status === "delivered" || delivery.status === "abandoned"),
  );
}

/** Checks each batch and its deliveries. */
export function checkBatches(world: World, accounts: readonly TestAccount[]): void {
  const { history } = world;
  for (const batch of history.batches.values()) {
    const account = accounts.find(({ accountId }) => accountId === batch.accountId);
    const receipts = history.receipts.filter(({ batchId }) => batchId === batch.id);
    checkCosts(world, batch);
    if (account !== undefined) checkReceipts(world, batch, { receipts, account });
  }
  for (const { batchId } of history.receipts)
    if (!history.batches.has(batchId))
      world.reportViolation("a webhook is sent for an unknown batch", batchId);
}

/** Checks that the items cost what the ledger charged for them. */
function checkCosts(world: World, { id, items }: BatchRecord): void {
  const reservations = [...world.history.reservations.values()];
  const ids = new Set(items.map((item) => item.id));
  const settled = reservations.filter(
    ({ itemId, end }) => itemId !== null && ids.has(itemId) && end === "settled",
  );
  const cost = items.reduce((sum, { state }) => sum + (state.status === "done" ? state.creditCost : 0), 0);
  if (settled.length !== cost) world.reportViolation("the cost of a batch differs from the ledger", id);
  for (const { id: itemId, state } of items) {
    if (state.status !== "failed") continue;
    if (!ITEM_FAILURES.has(state.code)) world.reportViolation(`an item fails with ${state.code}`, id, itemId);
    if (world.conditions.isCalm && state.message.startsWith("The worker stopped"))
      world.reportViolation("an item fails because of lost workers, but none was lost", id, itemId);
  }
}

/** Checks that a webhook is accepted at most once, unless its delivery was disturbed. */
function checkReceipts(
  world: World,
  batch: BatchRecord,
  { receipts, account }: { readonly receipts: readonly Receipt[]; readonly account: TestAccount },
): void {
  const { id, delivery, finishedAt } = batch;
  if (delivery === null) {
    if (receipts.length > 0) world.reportViolation("a webhook is sent although none is due", id);
    return;
  }
  for (const receipt of receipts) checkReceipt(world, receipt, { finishedAt, account });
  const accepted = receipts.filter(({ isAccepted }) => isAccepted).length;
  // according to a clock that is an hour ahead, every lease has expired
  const disturbances = world.conditions.hasWildClocks ? Infinity : (world.history.disturbances.get(id) ?? 0);
  if (accepted > 1 + disturbances) world.reportViolation("a webhook is delivered twice", id);
  if (accepted > disturbances && delivery.status !== "delivered")
    world.reportViolation("an accepted webhook does not count as delivered", id);
  if (accepted === 0 && delivery.status === "delivered")
    world.reportViolation("a webhook that was never accepted counts as delivered", id);
  if (receipts.length + disturbances === 0) world.reportViolation("a webhook is never sent", id);
  const isGone = receipts.some(({ status }) => status === 410);
  if (delivery.status === "abandoned" && !isGone && receipts.length + disturbances < MAX_ATTEMPTS)
    world.reportViolation("a webhook is abandoned too soon", id);
}

function checkReceipt(
  world: World,
  { batchId, at, headers, body }: Receipt,
  { finishedAt, account }: { readonly finishedAt: number | null; readonly account: TestAccount },
): void {
  const text = new TextDecoder().decode(body);
  const timestamp = headers["X-Webhook-Timestamp"] ?? "";
  const signature = createHmac("sha256", account.signingSecret)
    .update(`snap-webhook-v1\n${timestamp}\n${text}`)
    .digest("hex");
  if (headers["X-Webhook-Signature"] !== signature)
    world.reportViolation("a webhook has the wrong signature", batchId);
  const { status, id } = JSON.parse(text) as Record<string, unknown>;
  if (status !== "complete" || id !== batchId)
    world.reportViolation("a webhook has the wrong document", batchId);
  const { hasWildClocks, clockBoundMs } = world.conditions;
  if (hasWildClocks) return;
  if (finishedAt === null || at < finishedAt - clockBoundMs)
    world.reportViolation("a webhook is sent before its batch is finished", batchId);
  if (Number(timestamp) * 1000 > at + clockBoundMs)
    world.reportViolation("a webhook is signed for the future", batchId);
}
