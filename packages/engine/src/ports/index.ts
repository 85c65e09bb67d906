/*
 * The interfaces and records that storage backends, renderers and their tests implement or use.
 */

export type {
  WebhookFailureReason,
  WebhookOutcome,
  WebhookRequest,
  WebhookSender,
} from "./webhook-sender.ts";
export type { AuditEntry, AuditStore } from "./audit.ts";
export type { Account, AccountChange, AccountFilter, AccountStore } from "./accounts.ts";
export type {
  AttemptFilter,
  AttemptPage,
  AttemptRecord,
  BatchChange,
  BatchFilter,
  BatchStats,
  BatchRecord,
  BatchStore,
  BatchSummary,
  DeliveryState,
  DueDelivery,
  DueItem,
  IdempotencyClaim,
  IdempotencyHolder,
  ItemRecord,
  ItemState,
  QueueWatch,
} from "./batches.ts";
export type { RateLimitName, RateLimiter, ConsumeResult, ConsumeRequest } from "./rate-limiter.ts";
export type {
  DocumentFile,
  DocumentKey,
  DocumentQuota,
  DocumentRecord,
  DocumentStore,
  PutDocument,
  PutOutcome,
} from "./documents.ts";
export type { Clock, ServerClock } from "./clock.ts";
export type { LeaseClaim, LeaseState, RenderLeases, AcquireRequest, Priority } from "./render-leases.ts";
export type {
  AuditPortion,
  Balance,
  JournalEntry,
  JournalKind,
  Ledger,
  Period,
  PeriodAudit,
  PeriodGrant,
  PruneRequest,
  StandingBalance,
  ReserveOutcome,
  ReserveRequest,
  Resolution,
} from "./ledger.ts";
export type {
  Activity,
  EntryPoint,
  HistoryEntry,
  HistoryFilter,
  HistoryPage,
  HistoryStore,
  UsageGroup,
  UsageRequest,
  UsageSum,
  UsageTotals,
} from "./history.ts";
export type { Machine } from "./machine.ts";
export type {
  GetObjectOutcome,
  ListObjectsOutcome,
  ObjectBucket,
  ObjectStore,
  PutObject,
  PutObjectOutcome,
  StoreFailure,
} from "./object-store.ts";
export type { Page, PageRequest } from "./page.ts";
export type { Random } from "./random.ts";
export type {
  PageFacts,
  RenderedFile,
  Renderer,
  RendererHealth,
  RenderOptions,
  ServedDocument,
} from "./renderer.ts";
export type {
  CacheStats,
  CacheWarning,
  Eviction,
  RenderingKey,
  RenderingStore,
  StoredRendering,
} from "./renderings.ts";
export type { Resolver } from "./resolver.ts";
export type { BeforeMigration, SchemaMigration } from "./schema-migration.ts";
export type { SignInKey, SignInKind, SignInStore } from "./sign-ins.ts";
export type { Storage } from "./storage.ts";
export type {
  Ability,
  EnsuredToken,
  NextSecrets,
  PreviousSecrets,
  Principal,
  Rotation,
  TokenRecord,
  TokenStore,
} from "./tokens.ts";
export type {
  BalanceRecord,
  IdempotencyRecord,
  ReservationRecord,
  TransferTotals,
  TransferKind,
  TransferPage,
  TransferRecords,
  TransferSource,
  TransferState,
  TransferTarget,
  WholeDocument,
} from "./transfer.ts";
