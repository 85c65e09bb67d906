export type {
  BatchItem,
  BatchItemInput,
  BatchItemStatus,
  BatchSummaryDocument,
  DeliveryAttemptDocument,
  ErrorCode,
  ImageFormat,
  LengthUnit,
  PaperFormat,
  ParameterProblems,
  PdfCapture,
  PdfInput,
  RenderBatch,
  RenderingDocument,
  RenderInput,
  ScreenshotCapture,
  ScreenshotInput,
  SignableInput,
  StoredDocument,
  UsageReport,
  WaitEvent,
} from "@snap/protocol";
export type {
  Batches,
  BatchInput,
  BatchList,
  BatchProgress,
  DeliveryList,
  ListOptions,
  SubmitOptions,
  WaitOptions,
} from "./batches/batches.ts";
export type { WatchOptions } from "./batches/watch-batch.ts";
export type { ClientOptions, SnapClient } from "./client.ts";
export { createClient } from "./create-client.ts";
export type { CreateOptions, DocumentInput, Documents } from "./documents/documents.ts";
export { isSnapError, SnapError } from "./errors.ts";
export type { ClientErrorCode, SnapErrorFacts } from "./errors.ts";
export type {
  As,
  BytesRendering,
  DownloadOptions,
  FileForm,
  JsonRendering,
  KnownTag,
  NotModified,
  Rendering,
  RenderOptions,
  RenderResult,
  ResponseFacts,
  ResponseRendering,
  StreamRendering,
} from "./results/rendering.ts";
export type { Hooks, Logger, RequestEvent, ResponseEvent, RetryEvent } from "./sending/hooks.ts";
export type { Pacing } from "./sending/time.ts";
export type { CallOptions } from "./sending/send.ts";
export { signUrl } from "./signing/sign-url.ts";
export type { ExpiryOptions, SignUrlOptions } from "./signing/sign-url.ts";
export type { RawBody } from "./webhooks/raw-body.ts";
export type { WebhookHeaders } from "./webhooks/read-headers.ts";
export type { WebhookSecrets } from "./webhooks/check-settings.ts";
export { verifyWebhook } from "./webhooks/verify-webhook.ts";
export type { VerifyWebhookOptions } from "./webhooks/verify-webhook.ts";
export { isWebhookError, WebhookError } from "./webhooks/webhook-error.ts";
export type { WebhookErrorCode } from "./webhooks/webhook-error.ts";
