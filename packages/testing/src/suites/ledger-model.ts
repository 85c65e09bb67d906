import type { JournalEntry, JournalKind, Ledger, Period, PeriodGrant } from "@snap/engine/ports";
import assert from "node:assert/strict";
import { createFakeRandom } from "../fakes/random.ts";
import { createLedger } from "../memory/ledger.ts";

const MODEL_STEPS = 400;
const ACCOUNT_IDS = ["acct_1", "acct_2"];
/** Longer than any journal in the tests. */
const WHOLE_JOURNAL = 100_000;

type BalanceRequest = PeriodGrant & { readonly now: number };

/** Asserts that the period's balance matches its journal, and that no reservation ended twice. */
export async function assertJournalAddsUp(ledger: Ledger, balanceRequest: BalanceRequest): Promise<void> {
  const { granted, used, reserved } = await ledger.balance(balanceRequest);
  const journal = await ledger.journal({ accountId: balanceRequest.accountId, limit: WHOLE_JOURNAL });
  const moved = (kind: JournalKind): number =>
    journal
      .filter((entry) => entry.kind === kind && entry.periodStartedAt === balanceRequest.period.startedAt)
      .reduce((credits, entry) => credits + entry.credits, 0);
  const remaining = moved("grant") - moved("reserve") + moved("refund") + moved("lapse") + moved("reverse");
  const pending = moved("reserve") - moved("settle") - moved("refund") - moved("lapse");
  assert.equal(granted, moved("grant"), "the balance's granted differs from the journal's grants");
  assert.equal(used, moved("settle") - moved("reverse"), "used differs from the journal's charges");
  assert.equal(reserved, pending, "reserved differs from the journal's open reservations");
  assert.equal(granted, remaining + used + reserved, "granted = remaining + used + reserved does not hold");

  const ended = new Map<string, JournalKind>();
  for (const { kind, reservationId } of journal.toReversed()) {
    if (reservationId === null || kind === "reserve") continue;
    const before = ended.get(reservationId);
    const isAllowed = kind === "reverse" ? before === "settle" : before === undefined;
    assert.ok(isAllowed, `${reservationId}: ${kind} after ${before ?? "nothing"}`);
    ended.set(reservationId, kind);
  }
}

/** Makes the same random calls to the ledger and to the in-memory model, and compares every result. */
export async function runAgainstModel(
  ledger: Ledger,
  { seed, periods }: { readonly seed: number; readonly periods: readonly [Period, Period] },
): Promise<void> {
  const model = createLedger();
  const calls = randomCalls(seed, periods);
  for (let step = 0; step < MODEL_STEPS; step += 1) {
    const call = calls.next();
    const where = `seed ${seed}, step ${step}: ${call.text}`;
    assert.deepEqual(await call.make(ledger), await call.make(model), where);
  }
  for (const accountId of ACCOUNT_IDS) {
    assert.deepEqual(
      await sortedJournal(ledger, accountId),
      await sortedJournal(model, accountId),
      `seed ${seed}`,
    );
    for (const period of periods)
      await assertJournalAddsUp(ledger, { accountId, period, granted: 3, now: calls.now() });
  }
}

/** Sorted, because lapses within one call may be recorded in any order. */
async function sortedJournal(ledger: Ledger, accountId: string): Promise<string[]> {
  const journal = await ledger.journal({ accountId, limit: WHOLE_JOURNAL });
  const line = (entry: JournalEntry): string =>
    [entry.at, entry.kind, entry.reservationId, entry.periodStartedAt, entry.credits].join(" ");
  return journal.map(line).toSorted();
}

interface Call {
  readonly text: string;
  make(ledger: Ledger): Promise<unknown>;
}

/** Uses few credits, few ids and reservations that soon lapse, so all kinds of collisions occur. */
function randomCalls(
  seed: number,
  [first, second]: readonly [Period, Period],
): { next(): Call; now(): number } {
  const random = createFakeRandom(seed);
  const randomBelow = (count: number): number => new DataView(random.bytes(4).buffer).getUint32(0) % count;
  let now = second.startedAt - 400;
  let reservations = 0;

  const balanceRequest = (): BalanceRequest => ({
    accountId: ACCOUNT_IDS[randomBelow(ACCOUNT_IDS.length)] ?? "acct_1",
    period: now < second.startedAt ? first : second,
    granted: randomBelow(10) === 0 ? randomBelow(6) : 3,
    now,
  });
  /** One of the latest ids, or an unknown one. */
  const recentId = (): string => `r${Math.max(1, reservations + 1 - randomBelow(8))}`;
  const newId = (): string => {
    reservations += 1;
    return `r${reservations}`;
  };
  const call = (name: string, request: object, make: Call["make"]): Call => ({
    text: `${name} ${JSON.stringify(request)}`,
    make,
  });

  return {
    next() {
      // sometimes sets the clock back by a millisecond
      now += randomBelow(8) - 1;
      const kind = randomBelow(10);
      if (kind === 0) {
        const request = balanceRequest();
        return call("balance", request, (ledger) => ledger.balance(request));
      }
      if (kind < 5) {
        const reservationId = randomBelow(4) === 0 ? recentId() : newId();
        const request = { ...balanceRequest(), reservationId, lapsesAt: now + randomBelow(30) };
        return call("reserve", request, (ledger) => ledger.reserve(request));
      }
      const request = { reservationId: recentId(), now };
      if (kind < 8) return call("settle", request, (ledger) => ledger.settle(request));
      if (kind < 9) return call("refund", request, (ledger) => ledger.refund(request));
      return call("reverse", request, (ledger) => ledger.reverse(request));
    },
    now: () => now,
  };
}
