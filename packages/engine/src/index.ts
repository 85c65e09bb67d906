export { canonicalQuery, signQuery, verifyQuery } from "@snap/protocol";
export { createAccounts } from "./accounts/accounts.ts";
export type { Accounts, AccountsOptions, NewAccount } from "./accounts/accounts.ts";
export { entitlementOf } from "./accounts/entitlement.ts";
export type { Entitlement } from "./accounts/entitlement.ts";
export { BUILT_IN_PLANS, parsePlans } from "./accounts/plans.ts";
export type { Plan } from "./accounts/plans.ts";
export { usageReport } from "./accounts/usage-report.ts";
export { AdminError } from "./admin-error.ts";
export { isUnspecifiedAddress, parseBrowserUrls } from "./browser-endpoints.ts";
export type { BrowserEndpoint } from "./browser-endpoints.ts";
export type { Capture, CaptureOptions, CaptureRequest } from "./capture.ts";
export { createEngine } from "./create-engine.ts";
export type { Engine } from "./create-engine.ts";
export type { Batches } from "./batches/batches.ts";
export { advanceBatch } from "./batches/batch-machine.ts";
export type { BatchEvent, BatchRules } from "./batches/batch-machine.ts";
export type { DeliveryAttempt } from "./batches/deliver.ts";
export type { FinishedItem } from "./batches/item-worker.ts";
export type { BatchWorker } from "./batches/worker.ts";
export type { EngineOptions } from "./engine-options.ts";
export { createWebhookSender } from "./egress/webhook-sender.ts";
export type { WebhookOutcome, WebhookRequest, WebhookSender } from "./ports/webhook-sender.ts";
export type { CreditState } from "./credits/credits.ts";
export { isSnapError, SnapError, toSnapError } from "./errors.ts";
export type { SnapErrorFacts } from "./errors.ts";
export type { SpentBudget } from "./limits/spend-budget.ts";
export { parseParameters, parseQuery } from "./parameters/parse.ts";
export type { QueryPairs } from "./parameters/read-query.ts";
export { pdfParameters, screenshotParameters } from "./parameters/schemas.ts";
export type {
  PdfParameters,
  ScreenshotParameters,
  SnapParameters,
  SnapParametersInput,
} from "./parameters/schemas.ts";
export type { Account, AccountChange, AccountStore } from "./ports/accounts.ts";
export type {
  BatchChange,
  BatchFigures,
  BatchRecord,
  BatchStore,
  DeliveryState,
  DueDelivery,
  DueItem,
  ItemRecord,
  ItemState,
  QueueWatch,
} from "./ports/batches.ts";
export type { BudgetName, BudgetStore, SpendOutcome, SpendRequest } from "./ports/budgets.ts";
export { systemClock } from "./ports/clock.ts";
export type { Clock } from "./ports/clock.ts";
export type { FlightClaim, FlightState, FlightStore, TakeRequest, Urgency } from "./ports/flights.ts";
export type {
  Balance,
  JournalEntry,
  JournalKind,
  Ledger,
  Period,
  PeriodGrant,
  StandingBalance,
  ReserveOutcome,
  ReserveRequest,
  Resolution,
} from "./ports/ledger.ts";
export { createSystemMachine } from "./ports/machine.ts";
export type { Machine } from "./ports/machine.ts";
export { systemRandom } from "./ports/random.ts";
export type { Random } from "./ports/random.ts";
export type { RenderedFile, Renderer, RendererHealth } from "./ports/renderer.ts";
export type { RenderingKey, RenderingStore, StoredRendering } from "./ports/renderings.ts";
export type { LinkRequest, RenderingLink } from "./cache/links.ts";
export { systemResolver } from "./ports/resolver.ts";
export type { Resolver } from "./ports/resolver.ts";
export type { Storage } from "./ports/storage.ts";
export type { Ability, Principal, TokenRecord, TokenStore } from "./ports/tokens.ts";
export type {
  BalanceRecord,
  ReservationRecord,
  TransferFigures,
  TransferKind,
  TransferPage,
  TransferRecords,
  TransferSource,
  TransferState,
  TransferTarget,
} from "./ports/transfer.ts";
export { steadySlots } from "./schedule/render-slots.ts";
export type { SchedulerLoad } from "./schedule/scheduler.ts";
export { parseAllowedTargets } from "./targets/policy.ts";
export { PUBLIC_TARGETS_ONLY } from "./targets/policy.ts";
export type { AllowedTarget, TargetPolicy } from "./targets/policy.ts";
export type { SignedRequest } from "./tokens/authenticate-signed.ts";
export { createSeal, markOfKey } from "./tokens/seal.ts";
export type { Seal } from "./tokens/seal.ts";
export { ABILITIES, createTokens } from "./tokens/tokens.ts";
export type { MintedToken, Tokens, TokensOptions } from "./tokens/tokens.ts";
export { findForeignSeals } from "./transfer/find-foreign-seals.ts";
export { transfer } from "./transfer/transfer.ts";
export type { TransferOutcome, TransferProgress, TransferRequest } from "./transfer/transfer.ts";
