export { canonicalQuery, signQuery, verifyQuery } from "@snap/protocol";
export type { Accounts, NewAccount } from "./accounts/accounts.ts";
export { BUILT_IN_PLANS, parsePlans } from "./accounts/plans.ts";
export type { Plan } from "./accounts/plans.ts";
export { AdminError } from "./admin-error.ts";
export type { Capture, CaptureRequest } from "./capture.ts";
export { createEngine } from "./create-engine.ts";
export type { Engine } from "./create-engine.ts";
export type { Batches } from "./batches/batches.ts";
export type { DeliveryAttempt } from "./batches/deliver.ts";
export type { FinishedItem } from "./batches/item-worker.ts";
export type { BatchWorker } from "./batches/worker.ts";
export type { EngineOptions } from "./engine-options.ts";
export { createWebhookSender } from "./egress/webhook-sender.ts";
export type { WebhookSender } from "./ports/webhook-sender.ts";
export type { CreditState } from "./credits/credits.ts";
export { isSnapError, SnapError } from "./errors.ts";
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
export type { Account } from "./ports/accounts.ts";
export { systemClock } from "./ports/clock.ts";
export type { Clock } from "./ports/clock.ts";
export type { RenderedFile, Renderer } from "./ports/renderer.ts";
export type { StoredRendering } from "./ports/renderings.ts";
export type { LinkRequest, RenderingLink } from "./cache/links.ts";
export { systemResolver } from "./ports/resolver.ts";
export type { Resolver } from "./ports/resolver.ts";
export type { Storage } from "./ports/storage.ts";
export type { Ability, Principal } from "./ports/tokens.ts";
export type { SchedulerLoad } from "./schedule/scheduler.ts";
export { parseAllowedTargets, PUBLIC_TARGETS_ONLY } from "./targets/policy.ts";
export type { AllowedTarget, TargetPolicy } from "./targets/policy.ts";
export type { SignedRequest } from "./tokens/authenticate-signed.ts";
export type { MintedToken, Tokens } from "./tokens/tokens.ts";
export { transfer } from "./transfer/transfer.ts";
export type { TransferOutcome, TransferProgress, TransferRequest } from "./transfer/transfer.ts";
