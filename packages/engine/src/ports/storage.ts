import type { AccountStore } from "./accounts.ts";
import type { BatchStore } from "./batches.ts";
import type { BudgetStore } from "./budgets.ts";
import type { FlightStore } from "./flights.ts";
import type { Ledger } from "./ledger.ts";
import type { RenderingStore } from "./renderings.ts";
import type { TokenStore } from "./tokens.ts";

/** Everything that the engine keeps. */
export interface Storage {
  readonly accounts: AccountStore;
  readonly tokens: TokenStore;
  readonly ledger: Ledger;
  readonly renderings: RenderingStore;
  readonly budgets: BudgetStore;
  readonly batches: BatchStore;
  /** Of a storage that several processes render for; without it identical requests are shared within each alone. */
  readonly flights?: FlightStore | undefined;
  /** Rejects while the storage can't take a write. */
  check(): Promise<void>;
  close(): Promise<void>;
}
