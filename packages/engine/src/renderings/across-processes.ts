import type { BudgetStore, SpendOutcome, SpendRequest } from "../ports/budgets.ts";
import type { Clock } from "../ports/clock.ts";
import type { FlightClaim, FlightStore } from "../ports/flights.ts";
import type { Random } from "../ports/random.ts";
import type { RenderingKey, RenderingStore, StoredRendering } from "../ports/renderings.ts";

/** A process that was lost holds up those who wait for it for no longer. */
const LEASE_MS = 6_000;
/** A lease survives two renewals that were lost. */
const RENEWALS_PER_LEASE = 3;
const LINGER_MS = 1_000;
/** Of a page that fails for one process after the other, the last would wait for all of them. */
const LONGEST_WAIT_MS = 60_000;
/** Until the next look whether another process has finished. */
const LOOK_AGAIN_MS = 50;

export interface AcrossProcesses {
  /** `null` where one process alone uses the storage. */
  readonly flights: FlightStore | null;
  readonly budgets: BudgetStore;
  readonly renderings: RenderingStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly onBackgroundError: (error: unknown) => void;
}

/** What is wanted, and what it takes to make it. */
export interface Wanted {
  readonly name: string;
  /** Under what it is kept. */
  readonly key: RenderingKey;
  /** Looks whether it is there by now; `null` when it isn't. */
  readonly find: () => Promise<StoredRendering | null>;
  /** It was there a while ago: a look alone is then likely to be enough. */
  readonly isLikely: boolean;
  readonly spend: () => SpendRequest;
}

/** Leave to render: what was spent for it, and the flight that goes with it. */
export interface BoardingPass {
  /** The budget may have refused: then no flight was taken. */
  readonly spent: SpendOutcome;
  readonly request: SpendRequest;
  /** Keeps the rendering; the flight ends with that. */
  readonly put: RenderingStore["put"];
  /** There will be no rendering: the next one tries for itself. Nothing behind a `put` that succeeded. */
  readonly abandon: () => void;
  /** What was spent is not to be. */
  readonly giveBack: () => Promise<void>;
}

/** `waited`: for another process. */
export type FoundOrBoarded =
  | { readonly found: StoredRendering; readonly waited: boolean }
  | { readonly found: null; readonly pass: BoardingPass };

/**
 * Finds what is wanted, or gives leave to make it, unless another process is making it: that one is waited
 * for, a minute at most. Its failure is its own: the next one to look then tries for itself.
 */
export async function findOrBoard(
  parts: AcrossProcesses,
  { name, key, find, isLikely, spend }: Wanted,
): Promise<FoundOrBoarded> {
  const { flights, clock, random } = parts;
  if (flights === null || isLikely) {
    const found = await find();
    if (found !== null) return { found, waited: false };
  }
  if (flights === null) return { found: null, pass: await passWithoutFlight(parts, spend()) };
  const claim = { name, holder: Buffer.from(random.bytes(16)).toString("hex") };
  const waitsUntil = clock.now() + LONGEST_WAIT_MS;
  let unlessKept: RenderingKey | null = key;
  let waited = false;
  for (;;) {
    const request = spend();
    // Sent together: one round trip.
    const [looked, boarded] = await Promise.allSettled([
      find(),
      flights.board({ ...claim, leaseMs: LEASE_MS, unlessKept, spend: request }),
    ]);
    if (boarded.status === "rejected") throw boarded.reason;
    const boarding = boarded.value;
    if (boarding.state === "boarded") {
      const pass = passWithFlight({ ...parts, flights }, { claim, request, spent: boarding.spent });
      if (looked.status === "fulfilled" && looked.value === null) return { found: null, pass };
      pass.abandon();
      await pass.giveBack();
    }
    if (looked.status === "rejected") throw looked.reason;
    const found = looked.value;
    if (found !== null) return { found, waited };
    if (boarding.state === "refused")
      return { found, pass: passOf(parts, { spent: boarding.spent, request }) };
    if (boarding.state === "kept") {
      if (unlessKept === null)
        throw new Error("the flights tell of a rendering that they were not asked for");
      // It is damaged, has just gone, or is none that is wanted.
      unlessKept = null;
      continue;
    }
    if (clock.now() >= waitsUntil) return { found, pass: await passWithoutFlight(parts, request) };
    await new Promise<void>((resolve) => void clock.after(LOOK_AGAIN_MS, resolve));
    waited = true;
  }
}

type Spending = Pick<BoardingPass, "spent" | "request">;
type PassParts = Pick<AcrossProcesses, "budgets" | "renderings" | "onBackgroundError">;

/** Leave to render for oneself, whoever else renders the same. */
export async function passWithoutFlight(parts: PassParts, request: SpendRequest): Promise<BoardingPass> {
  return passOf(parts, { spent: await parts.budgets.spend(request), request });
}

function passOf({ budgets, renderings, onBackgroundError }: PassParts, spending: Spending): BoardingPass {
  const { accountId, budget } = spending.request;
  const { resetsAt } = spending.spent;
  return {
    ...spending,
    put: (request) => renderings.put(request),
    abandon: () => {},
    giveBack: () => budgets.giveBack({ accountId, budget, resetsAt }).catch(onBackgroundError),
  };
}

/** Keeps the flight for as long as it takes. */
function passWithFlight(
  parts: AcrossProcesses & { readonly flights: FlightStore },
  { claim, ...spending }: Spending & { readonly claim: FlightClaim },
): BoardingPass {
  const { flights, clock, onBackgroundError } = parts;
  let isOver = false;
  let callOff = (): void => {};
  const renewLater = (): void => {
    callOff = clock.after(LEASE_MS / RENEWALS_PER_LEASE, () => {
      flights.take({ ...claim, leaseMs: LEASE_MS }).catch(onBackgroundError);
      renewLater();
    });
  };
  const isFirstEnd = (): boolean => {
    callOff();
    const isFirst = !isOver;
    isOver = true;
    return isFirst;
  };
  renewLater();
  return {
    ...passOf(parts, spending),
    async put(request) {
      await flights.land({ ...claim, ...request, lingerMs: LINGER_MS });
      isFirstEnd();
    },
    abandon() {
      if (isFirstEnd()) flights.end({ ...claim, lingerMs: 0 }).catch(onBackgroundError);
    },
  };
}
