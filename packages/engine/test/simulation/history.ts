import { AsyncLocalStorage } from "node:async_hooks";
import type { BatchRecord } from "../../src/ports/batches.ts";
import type { Resolution } from "../../src/ports/ledger.ts";
import type { SimulatedProcess } from "./process.ts";

/** A client's request for a capture. */
export interface ClientRequest {
  readonly id: string;
  readonly accountId: string;
  readonly process: SimulatedProcess;
  /** The page. */
  readonly url: string;
  /** Its parameters, as text. */
  readonly query: string;
  /** Its `cache` parameter. */
  readonly usesCache: boolean;
  /** Whether it follows a signed link, so the rendering should be cached. */
  readonly isFromLink: boolean;
  /** Entity tag of the rendering that it stored, or would have stored if the cache had been available. */
  storedEtag: string | null;
  /** `null` while it has no response, and forever if its process ends. */
  outcome: Outcome | null;
}

export type Outcome =
  | { readonly kind: "rendering"; readonly creditCost: 0 | 1; readonly cache: string; readonly etag: string }
  | { readonly kind: "error"; readonly code: string };

/** A reserved credit. */
export interface ReservationRecord {
  readonly id: string;
  readonly accountId: string;
  readonly process: string;
  /** `null` if a worker reserved it. */
  readonly request: ClientRequest | null;
  /** The batch item that was finished in the transaction that settled it. */
  itemId: string | null;
  /** How it ended; `null` while it is open. */
  end: Resolution | null;
}

/** An attempt to deliver a webhook, even to an unreachable receiver. */
export interface Receipt {
  readonly batchId: string;
  readonly at: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** `null` if there is no response. */
  readonly status: number | null;
  /** Whether the receiver accepted it; the response can still be lost. */
  readonly isAccepted: boolean;
}

/** A render that a rate limit allowed. */
export interface AllowedRender {
  readonly accountId: string;
  readonly at: number;
  /** Whether the process counted it locally, because the shared limits were unavailable. */
  readonly isLocal: boolean;
}

/** The request that the current code is executing for; a worker has none. */
export const requestContext = new AsyncLocalStorage<ClientRequest>();

/** What actually happened, whether or not the processes know about it. */
export class History {
  readonly requests: ClientRequest[] = [];
  readonly reservations = new Map<string, ReservationRecord>();
  /** URL of each rendering, by entity tag. */
  readonly rendered = new Map<string, string>();
  /** Account of each rendering that reached the cache, by entity tag. */
  readonly stored = new Map<string, string>();
  /** Renderings that could not be stored because the cache was unavailable, by entity tag. */
  readonly dropped = new Set<string>();
  /** The request or item that was charged for each rendering, by entity tag. */
  readonly charged = new Map<string, string>();
  /** The last charge of each cached capture, by account and query. */
  readonly lastCharges = new Map<string, { readonly at: number; readonly process: string }>();
  readonly allowedRenders: AllowedRender[] = [];
  /** Submissions in flight, some to a process that has ended. */
  readonly submissions = new Set<{ readonly process: SimulatedProcess }>();
  readonly batches = new Map<string, BatchRecord>();
  /** The process with the latest claim, by item id or, for deliveries, by batch id. */
  readonly claimants = new Map<string, string>();
  readonly receipts: Receipt[] = [];
  /** Number of disturbances of each delivery, by batch id. Each can cause one more attempt. */
  readonly disturbances = new Map<string, number>();
  /** Reservations that a process logged as possibly charged. */
  readonly maybeCharged = new Set<string>();

  readonly #faults = new Map<string, string[]>();

  /** Returns the faults of the calls that concern a reservation. */
  faultsOf(reservationId: string): string[] {
    const faults = this.#faults.get(reservationId) ?? [];
    this.#faults.set(reservationId, faults);
    return faults;
  }

  recordDisturbance(batchId: string): void {
    this.disturbances.set(batchId, (this.disturbances.get(batchId) ?? 0) + 1);
  }

  /** Records that something happened to a process, which disturbs its deliveries. */
  recordDisturbancesOf(process: string): void {
    for (const [batchId, { delivery }] of this.batches)
      if (delivery?.status === "sending" && this.claimants.get(batchId) === process)
        this.recordDisturbance(batchId);
  }
}
