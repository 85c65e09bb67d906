import type { Plan } from "./accounts/plans.ts";
import type { SentParameters, Understood } from "./parameters/understand.ts";
import type { BudgetStore } from "./ports/budgets.ts";
import type { Clock } from "./ports/clock.ts";
import type { Ledger } from "./ports/ledger.ts";
import type { Random } from "./ports/random.ts";
import type { Renderer } from "./ports/renderer.ts";
import type { Resolver } from "./ports/resolver.ts";
import type { AcrossProcesses } from "./renderings/across-processes.ts";
import type { RenderingCache } from "./renderings/rendering-cache.ts";
import type { Scheduler } from "./schedule/scheduler.ts";
import type { TargetPolicy } from "./target/policy.ts";

/** What `capture` and its steps work with; `createEngine` puts it together. */
export interface CaptureParts {
  readonly understand: (sent: SentParameters) => Understood;
  readonly ledger: Ledger;
  readonly budgets: BudgetStore;
  readonly cache: RenderingCache;
  readonly acrossProcesses: AcrossProcesses;
  readonly scheduler: Scheduler;
  readonly renderer: Renderer;
  readonly resolver: Resolver;
  readonly clock: Clock;
  readonly random: Random;
  readonly plans: readonly Plan[];
  readonly targets: TargetPolicy;
  readonly reservationLeaseMs: number;
  /** Told of a settlement or refund that could not be written; the reservation then lapses by itself. */
  readonly onLedgerFailed: (error: unknown) => void;
}
