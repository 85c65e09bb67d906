import type { JournalEntry, JournalKind, Ledger } from "../../src/ports/ledger.ts";
import type { TestAccount } from "./test-accounts.ts";
import type { ReservationRecord } from "./history.ts";
import type { World } from "./world.ts";

/** Longer than any journal in a simulation. */
const WHOLE_JOURNAL = 100_000;

/** Checks an account's balance against its journal, and each reservation against its request or item. */
export async function checkLedger(world: World, { accountId, maxCredits }: TestAccount): Promise<void> {
  const { ledger } = world.storage;
  const journal = await ledger.journal({ accountId, limit: WHOLE_JOURNAL });
  const periods = new Set(journal.map((entry) => entry.periodStartedAt));
  // overdue reservations lapse when a balance is read
  for (const startedAt of periods) await checkBalance(world, { ledger, accountId, startedAt, maxCredits });
  const resolutions = resolutionsOf(await ledger.journal({ accountId, limit: WHOLE_JOURNAL }));
  for (const [id, kinds] of resolutions) {
    const reservation = world.history.reservations.get(id);
    if (reservation === undefined) world.reportViolation("the journal has an unknown reservation", id);
    else checkReservation(world, reservation, kinds);
  }
}

async function checkBalance(
  world: World,
  {
    ledger,
    accountId,
    startedAt,
    maxCredits,
  }: {
    readonly ledger: Ledger;
    readonly accountId: string;
    readonly startedAt: number;
    readonly maxCredits: number;
  },
): Promise<void> {
  const journal = await ledger.journal({ accountId, limit: WHOLE_JOURNAL });
  const granted = sumOf(journal, startedAt, "grant");
  // the ledger does not use the period's end
  const period = { startedAt, resetsAt: startedAt + 1 };
  const balance = await ledger.balance({ accountId, period, granted, now: world.timeline.now });
  const after = await ledger.journal({ accountId, limit: WHOLE_JOURNAL });
  const sum = (kind: JournalKind): number => sumOf(after, startedAt, kind);
  const used = sum("settle") - sum("reverse");
  const reserved = sum("reserve") - sum("settle") - sum("refund") - sum("lapse");
  if (reserved !== 0 || balance.reserved !== 0)
    world.reportViolation("a reservation is still open after it should have lapsed", accountId);
  if (balance.used !== used || balance.granted !== sum("grant"))
    world.reportViolation("the journal does not add up to the balance", accountId);
  if (used > maxCredits) world.reportViolation("an account used more than it was granted", accountId);
}

function sumOf(journal: readonly JournalEntry[], startedAt: number, kind: JournalKind): number {
  return journal
    .filter((entry) => entry.kind === kind && entry.periodStartedAt === startedAt)
    .reduce((sum, { credits }) => sum + credits, 0);
}

/** Returns the kinds of the journal entries that resolved each reservation, oldest first. */
function resolutionsOf(journal: readonly JournalEntry[]): ReadonlyMap<string, readonly JournalKind[]> {
  const resolutions = new Map<string, JournalKind[]>();
  for (const { reservationId, kind } of journal.toReversed()) {
    if (reservationId === null) continue;
    const kinds = resolutions.get(reservationId) ?? [];
    resolutions.set(reservationId, kinds);
    if (kind !== "reserve") kinds.push(kind);
  }
  return resolutions;
}

const POSSIBLE_RESOLUTIONS: ReadonlySet<string> = new Set(["settle", "refund", "lapse", "settle,reverse"]);

function checkReservation(world: World, reservation: ReservationRecord, kinds: readonly JournalKind[]): void {
  const { id, request, itemId } = reservation;
  const resolution = kinds.join(",");
  if (!POSSIBLE_RESOLUTIONS.has(resolution))
    world.reportViolation(`an impossible sequence of resolutions: ${resolution || "none"}`, id);
  if (world.conditions.isCalm && resolution === "lapse")
    world.reportViolation("a reservation lapses without a fault", id);
  const isCharged = resolution === "settle";
  if (request !== null) checkRequest(world, reservation, isCharged);
  else if (isCharged !== (itemId !== null && creditCostOf(world, itemId) === 1))
    world.reportViolation(
      "a worker's reservation and its item disagree on the charge",
      id,
      itemId ?? "no item",
    );
}

function checkRequest(world: World, reservation: ReservationRecord, isCharged: boolean): void {
  const { id, request } = reservation;
  if (request === null) return;
  const { outcome } = request;
  if (outcome?.kind === "rendering" && isCharged !== (outcome.creditCost === 1))
    world.reportViolation("a response and the ledger disagree on the charge", request.id, id);
  if (outcome?.kind === "error" && isCharged && !canStayCharged(world, reservation))
    world.reportViolation("the charge for a failed request is never reversed", request.id, id);
  // the process ended before it responded, so a retry must be free
  if (outcome === null && isCharged && request.usesCache && request.storedEtag === null)
    world.reportViolation("a charged rendering is neither delivered nor cached", request.id, id);
}

/**
 * Returns whether the charge can remain: the credit was settled, but the responses of settle and refund were lost, and
 * the process was killed or gave up reversing (docs/decisions/accounts-and-credits.md).
 */
function canStayCharged({ history }: World, { id, request }: ReservationRecord): boolean {
  const hasFailed = (method: string): boolean =>
    history.faultsOf(id).some((fault) => fault.startsWith(`${method} `));
  if (!hasFailed("ledger.settle") || !hasFailed("ledger.refund")) return false;
  return request?.process.end === "killed" || (history.maybeCharged.has(id) && hasFailed("ledger.reverse"));
}

/** Checks that no failed request is still charged. Call it after reversals had time to succeed. */
export function checkReversals({ history, reportViolation }: World): void {
  for (const { id, request, end } of history.reservations.values())
    if (request?.process.isAlive && request.outcome?.kind === "error" && end === "settled")
      reportViolation("a failed request is still charged", request.id, id);
}

function creditCostOf({ history }: World, itemId: string): number | null {
  for (const { items } of history.batches.values())
    for (const { id, state } of items) if (id === itemId && state.status === "done") return state.creditCost;
  return null;
}
